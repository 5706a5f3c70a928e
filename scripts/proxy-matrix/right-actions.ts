import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONTENDERS, routerTo } from '../../bench/proxy-contenders.ts'
import { anthropicAt, startProxy } from '../../test/gateway/proxy/proxy.ts'

// Failures of the blind sets that are HTTP answers, given by the first of two vendors, while the second is well: what do gateways do?
// Each question is asked of fresh state where a gateway has any. Writes right-actions.json, which report.ts shows.

const root = fileURLToPath(new URL('../..', import.meta.url))
const PATIENCE_MS = 20_000

/** Failures that another account or vendor does not have. */
const ELSEWHERE = ['auth', 'forbidden', 'billing', 'model_not_found', 'unsupported_region', 'permission']
/** Failures of the request itself: whoever is asked fails the same way. */
const OF_REQUEST = ['invalid_request', 'request_too_large', 'context_overflow']

interface Entry {
  id: string
  input: { status?: number; headers?: Record<string, string>; body?: unknown }
  label: { class: string; kind: string }
  confidence: string
}

type Right = 'answer' | 'stop'

function rightOf({ label }: Entry): Right | undefined {
  if (['throttle', 'transient', 'timeout'].includes(label.class)) return 'answer'
  if (ELSEWHERE.includes(label.kind)) return 'answer'
  return OF_REQUEST.includes(label.kind) ? 'stop' : undefined
}

function entries(): (Entry & { right: Right })[] {
  const folder = join(root, 'corpus')
  return readdirSync(folder)
    .filter(name => /^blind-.*\.jsonl$/.test(name))
    .flatMap(name => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map(line => JSON.parse(line) as Entry)
    .filter(({ input, confidence }) => (input.status ?? 0) >= 200 && confidence !== 'low')
    .flatMap(entry => {
      const right = rightOf(entry)
      return right === undefined ? [] : [{ ...entry, right }]
    })
}

const all = entries()
const byId = new Map(all.map(entry => [entry.id, entry]))
const seen = new Map<string, { first: number; second: number }>()
const isStream = ({ input }: Entry) =>
  /event-stream/.test(JSON.stringify(input.headers ?? {})) ||
  (typeof input.body === 'string' && /^\s*(?:event|data):/.test(input.body))

/** A vendor. Questions carry the id of their entry in their text. */
async function vendor(which: 'first' | 'second'): Promise<string> {
  const server = createServer((from, to) => {
    let asked = ''
    from.on('data', (chunk: Buffer) => {
      asked += chunk
    })
    from.on('end', () => {
      const id = /entry <([^>]+)>/.exec(asked)?.[1] ?? ''
      const entry = byId.get(id)
      const counts = seen.get(id)
      if (counts) counts[which]++
      if (which === 'second' || !entry) return well(to, entry !== undefined && isStream(entry))
      const { status = 500, headers = {}, body } = entry.input
      const kept = Object.entries(headers).filter(
        ([name, value]) =>
          typeof value === 'string' &&
          !/^(?:content-length|transfer-encoding|connection|content-encoding)$/i.test(name),
      )
      const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
      to.writeHead(status, {
        // Reports often leave the headers out.
        ...(/^\s*[{[]/.test(text) ? { 'content-type': 'application/json' } : {}),
        ...Object.fromEntries(
          kept.map(([name, value]) => [name.toLowerCase(), value.replace(/[^\x20-\x7e]/g, '')]),
        ),
      })
      to.end(text)
    })
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function well(to: import('node:http').ServerResponse, stream: boolean): void {
  const event = (type: string, data: object = {}) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-lab-1' }
  const usage = { input_tokens: 1, output_tokens: 1 }
  to.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
  if (!stream) {
    const content = [{ type: 'text', text: 'all is well' }]
    to.end(JSON.stringify({ ...message, content, stop_reason: 'end_turn', stop_sequence: null, usage }))
    return
  }
  to.end(
    event('message_start', { message: { ...message, content: [], stop_reason: null, usage } }) +
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'all is well' } }) +
      event('content_block_stop', { index: 0 }) +
      event('message_delta', { delta: { stop_reason: 'end_turn' }, usage }) +
      event('message_stop'),
  )
}

function ask(url: string, headers: Record<string, string>, entry: Entry): Promise<string> {
  const body = JSON.stringify({
    model: 'claude-lab-1',
    max_tokens: 64,
    stream: isStream(entry),
    messages: [{ role: 'user', content: `entry <${entry.id}>` }],
  })
  return new Promise(resolve => {
    let text = ''
    const asked = request(
      `${url}/v1/messages`,
      {
        method: 'POST',
        timeout: PATIENCE_MS,
        headers: {
          'content-type': 'application/json',
          'anthropic-version': '2023-06-01',
          'x-api-key': 'k',
          ...headers,
        },
      },
      answer => {
        answer.on('data', (chunk: Buffer) => {
          text += chunk
        })
        answer.on('close', () => resolve(text))
        answer.on('error', () => resolve(text))
      },
    )
    const patience = setTimeout(() => asked.destroy(), PATIENCE_MS)
    asked.on('close', () => clearTimeout(patience))
    asked.on('error', () => resolve(text))
    asked.end(body)
  })
}

interface Gateway {
  name: string
  set: string
  /** Asks in fresh state. */
  ask: (entry: Entry) => Promise<string>
  atOnce: number
}

const first = await vendor('first')
const second = await vendor('second')

const ours: Gateway = {
  name: 'mulligan proxy',
  set: 'two `[[provider]]`, nothing else',
  atOnce: 8,
  ask: async entry => {
    const { proxy, url } = await startProxy(
      [anthropicAt(first, { id: 'a', key: () => 'x' }), anthropicAt(second, { id: 'b', key: () => 'x' })],
      { isToken: text => text === 'k', closeGraceMs: 0 },
    )
    const text = await ask(url, {}, entry)
    await proxy.stop()
    return text
  },
}

async function portkey(): Promise<Gateway | undefined> {
  const contender = CONTENDERS.find(({ name }) => name.startsWith('@portkey'))
  const { url, headers } = (await contender?.begin(first)) ?? { url: '', headers: {} }
  const target = (upstream: string) => ({
    provider: 'anthropic',
    custom_host: `${upstream}/v1`,
    api_key: 'k',
    retry: { attempts: 2 },
  })
  const config = JSON.stringify({ strategy: { mode: 'fallback' }, targets: [target(first), target(second)] })
  const { 'x-portkey-provider': _, 'x-portkey-custom-host': __, ...rest } = headers ?? {}
  return {
    name: contender?.name ?? '',
    set: '`fallback` over two targets, `retry: {attempts: 2}`, its own status codes',
    atOnce: 8,
    ask: entry => ask(url, { ...rest, 'x-portkey-config': config }, entry),
  }
}

async function ccflare(): Promise<Gateway | undefined> {
  const contender = CONTENDERS.find(({ name }) => name.startsWith('better-ccflare'))
  const { url } = (await contender?.begin(first)) ?? { url: '' }
  const json = { 'content-type': 'application/json' }
  const make = (name: string, customEndpoint: string, priority: number) =>
    fetch(`${url}/api/accounts/anthropic-compatible`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ name, apiKey: 'sk-lab-123456', priority, customEndpoint }),
    })
  const remove = (name: string) =>
    fetch(`${url}/api/accounts/${name}`, {
      method: 'DELETE',
      headers: json,
      body: JSON.stringify({ confirm: name }),
    })
  await remove('lab')
  return {
    name: contender?.name ?? '',
    set: 'two accounts by priority, made anew for each question',
    atOnce: 1,
    ask: async entry => {
      await make('first', first, 0)
      await make('second', second, 1)
      const text = await ask(url, {}, entry)
      await remove('first')
      await remove('second')
      return text
    },
  }
}

async function router(): Promise<Gateway | undefined> {
  const { url } = await routerTo([first, second])
  return {
    name: '@musistudio/claude-code-router 2.0.0',
    set: 'a default route and one `fallback`',
    atOnce: 4,
    ask: entry => ask(url, {}, entry),
  }
}

/** How one gateway did. */
export interface RightActions {
  name: string
  set: string
  /** Failures that somebody else could serve: answered. */
  answered: number
  answerable: number
  /** Failures of the request: told at once, and nobody was asked again. */
  stopped: number
  hopeless: number
  /** Requests sent in vain for those. */
  inVain: number
}

const results: RightActions[] = []
const only = process.argv.slice(2)
for (const begin of [async () => ours, portkey, ccflare, router]) {
  const gateway = await begin().catch(error => {
    process.stderr.write(`${begin.name}: ${(error as Error).message.slice(0, 200)}\n`)
    return undefined
  })
  if (!gateway || (only.length > 0 && !only.some(word => gateway.name.includes(word)))) continue
  const result: RightActions = {
    name: gateway.name,
    set: gateway.set,
    answered: 0,
    answerable: 0,
    stopped: 0,
    hopeless: 0,
    inVain: 0,
  }
  const queue = [...all]
  const work = async () => {
    for (let entry = queue.shift(); entry; entry = queue.shift()) {
      const counts = { first: 0, second: 0 }
      seen.set(entry.id, counts)
      const isAnswered = (await gateway.ask(entry)).includes('all is well')
      const isRight =
        entry.right === 'answer' ? isAnswered : !isAnswered && counts.first === 1 && counts.second === 0
      if (entry.right === 'answer') {
        result.answerable++
        if (isAnswered) result.answered++
      } else {
        result.hopeless++
        if (isRight) result.stopped++
        result.inVain += Math.max(0, counts.first + counts.second - 1)
      }
      if (process.env.SHOW && !isRight)
        process.stderr.write(
          `${gateway.name}: ${entry.id} ${entry.input.status} ${entry.label.class}/${entry.label.kind} ${JSON.stringify(counts)}\n`,
        )
    }
  }
  await Promise.all(Array.from({ length: gateway.atOnce }, work))
  results.push(result)
  process.stdout.write(`${JSON.stringify(result)}\n`)
}
const kept = { date: new Date().toISOString().slice(0, 10), results }
if (only.length === 0)
  writeFileSync(
    join(root, 'scripts', 'proxy-matrix', 'right-actions.json'),
    `${JSON.stringify(kept, undefined, 2)}\n`,
  )
process.exit()
