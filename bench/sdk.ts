import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { call } from '../src/call/call.ts'
import { Health } from '../src/provider/health.ts'
import { resilient } from '../src/sdk/ai-sdk/resilient.ts'
import { resilientFetch } from '../src/sdk/fetch/resilient-fetch.ts'
import { figure } from './figures.ts'
import { median, seeded } from './measure.ts'

// What the wrappers add to a call and to the first word of a stream, with vendors that answer at once; and what hedging gains where one
// provider of two is sometimes slow.

const ROUNDS = Number(process.env.ROUNDS ?? 2_000)
const health = new Health()
const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
}
const finishReason = { unified: 'stop', raw: 'stop' } as const
const parts: LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'hello' },
  { type: 'text-end', id: '0' },
  { type: 'finish', finishReason, usage },
]
const model: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'openai.chat',
  modelId: 'm',
  supportedUrls: {},
  doGenerate: async () => ({ content: [{ type: 'text', text: 'hello' }], finishReason, usage, warnings: [] }),
  doStream: async () => ({
    stream: new ReadableStream<LanguageModelV4StreamPart>({
      start(controller) {
        for (const part of parts) controller.enqueue(part)
        controller.close()
      },
    }),
  }),
}
const wrapped = resilient([model, { ...model, provider: 'anthropic.messages' }], { health, budgetMs: 60_000 })
const question = { prompt: [] }

const answer =
  '{"model":"m","choices":[{"index":0,"message":{"content":"hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}'
const events = `data: {"id":"1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"hello"}}]}\n\ndata: {"id":"1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`
const isStream = (init?: RequestInit) => String(init?.body).includes('"stream":true')
const vendor: typeof fetch = async (_, init) =>
  isStream(init)
    ? new Response(events, { headers: { 'content-type': 'text/event-stream' } })
    : new Response(answer, { headers: { 'content-type': 'application/json' } })
const ours = resilientFetch({ fetch: vendor, health, budgetMs: 60_000 })
const ask = (fetch: typeof globalThis.fetch, stream: boolean) =>
  fetch('https://api.openai.com/v1/chat/completions', {
    method: 'POST',
    body: JSON.stringify({ model: 'm', stream }),
  })

/** Reads until the first word. */
async function firstWord(stream: ReadableStream<unknown>): Promise<void> {
  const reader = stream.getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done || value instanceof Uint8Array || (value as { type?: string }).type === 'text-delta') break
  }
  await reader.cancel()
}

const ROWS: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
  ['AI SDK, doGenerate', async () => model.doGenerate(question), async () => wrapped.doGenerate(question)],
  [
    'AI SDK, first word of a stream',
    async () => firstWord((await model.doStream(question)).stream),
    async () => firstWord((await wrapped.doStream(question)).stream),
  ],
  ['fetch, JSON', async () => (await ask(vendor, false)).text(), async () => (await ask(ours, false)).text()],
  [
    'fetch, first words of a stream',
    async () => firstWord((await ask(vendor, true)).body as ReadableStream),
    async () => firstWord((await ask(ours, true)).body as ReadableStream),
  ],
]
process.stdout.write('| what | alone µs | wrapped µs | added µs |\n|---|--:|--:|--:|\n')
for (const [name, alone, around] of ROWS) {
  const taken: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS + 200; round++)
    for (const [at, run] of [alone, around].entries()) {
      const from = performance.now()
      await run()
      if (round >= 200) taken[at as 0 | 1].push((performance.now() - from) * 1_000)
    }
  const [bare, with_] = taken.map(median) as [number, number]
  figure({
    what: `added to ${name}`,
    unit: 'µs',
    better: 'less',
    values: { 'resilient…': with_ - bare },
    aim: name.includes('stream') ? '1,000 µs' : '50 µs',
  })
  process.stdout.write(
    `| ${name} | ${bare.toFixed(1)} | ${with_.toFixed(1)} | ${(with_ - bare).toFixed(1)} |\n`,
  )
}

const hedged: Record<string, number> = {}

/** One of two providers takes half a second for one answer in fifty, and 10 ms else. */
async function withHedge(hedge: number | undefined, calls = 1_000) {
  const random = seeded(7)
  const taken: number[] = []
  let requests = 0
  const own = new Health()
  let next = 0
  const one = async () => {
    while (next++ < calls) {
      const slow = random() < 0.02
      const from = performance.now()
      await call(
        ({ provider, signal }) => {
          requests++
          return new Promise((resolve, reject) => {
            const timer = setTimeout(resolve, provider === 'first' && slow ? 500 : 10)
            signal.addEventListener('abort', () => {
              clearTimeout(timer)
              reject(signal.reason)
            })
          })
        },
        { pool: ['first', 'second'], health: own, hedge, maxRetries: 0 },
      )
      taken.push(performance.now() - from)
    }
  }
  await Promise.all(Array.from({ length: 20 }, one))
  taken.sort((a, b) => a - b)
  const at = (share: number) => (taken[Math.floor(taken.length * share)] as number).toFixed(0)
  hedged[hedge === undefined ? 'none' : 'hedge'] = Number(at(0.99))
  return `| ${at(0.5)} | ${at(0.95)} | ${at(0.99)} | ${(((requests - calls) / calls) * 100).toFixed(1)} |`
}
// As above, not the first time: the first try that is ended loads the classifier.
await withHedge(50, 200)
process.stdout.write('\n| hedge | p50 ms | p95 ms | p99 ms | more requests % |\n|---|--:|--:|--:|--:|\n')
process.stdout.write(`| none ${await withHedge(undefined)}\n`)
process.stdout.write(`| after 50 ms ${await withHedge(50)}\n`)
figure({
  what: 'p99 with a slow answer in fifty, hedged after 50 ms',
  unit: 'ms',
  better: 'less',
  values: { hedged: hedged.hedge as number, 'not hedged': hedged.none as number },
})
