import { createAnthropic } from '@ai-sdk/anthropic'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { stepCountIs, streamText, tool } from 'ai'
import { createFallback } from 'ai-fallback'
import { createRetryableModel } from 'ai-retry/language-model'
import { z } from 'zod'
import { Health } from '../../src/provider/health.ts'
import { resilient } from '../../src/sdk/ai-sdk/resilient.ts'
import { WRAPPED } from './clients.ts'

// An agent with five steps, each of which runs a tool. In its fifth the answer of the first model has one of these ends; the second
// model would ask for the tool again, as a model does that was not told the result.

type Event = { type: string; [field: string]: unknown }

const START: Event = {
  type: 'message_start',
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    usage: { input_tokens: 1, output_tokens: 1 },
  },
}
const USE: Event[] = [
  {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 't', name: 'count', input: {} },
  },
  { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{}' } },
  { type: 'content_block_stop', index: 0 },
]
const WORDS: Event[] = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'done' } },
  { type: 'content_block_stop', index: 0 },
]
const ended = (stop_reason: string): Event[] => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
]
const OVERLOADED: Event = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }

/** How the answer of the fifth step fails. */
const ENDS: Readonly<Record<string, readonly Event[]>> = {
  'before its first word': [START, OVERLOADED],
  'after its tool call': [START, ...USE, OVERLOADED],
  'cut after its tool call': [START, ...USE],
}

type Wrap = (first: LanguageModelV4, second: LanguageModelV4) => LanguageModelV4
const WRAPS: Readonly<Record<string, Wrap>> = {
  'ai-fallback': (first, second) => createFallback({ models: [first, second] }) as unknown as LanguageModelV4,
  'ai-retry': (first, second) =>
    createRetryableModel({ model: first, retries: [second] }) as unknown as LanguageModelV4,
  '`resilient`': (first, second) => resilient([first, second], { ...WRAPPED, health: new Health() }),
}

const STEPS = 5

/** In how many of these ways the agent runs a tool again, by what wraps its models. */
export async function toolsRepeated(): Promise<Record<string, number>> {
  const repeated: Record<string, number> = {}
  for (const [name, wrap] of Object.entries(WRAPS)) {
    const most = await Promise.all(Object.values(ENDS).map(end => mostRunsOfStep(wrap, end)))
    repeated[name] = most.filter(runs => runs !== 1).length
  }
  return repeated
}

/** How often the tool of one step ran, at most: once is right. */
async function mostRunsOfStep(wrap: Wrap, end: readonly Event[]): Promise<number> {
  let asked = 0
  const ran = new Map<number, number>()
  const step = (messages: number) => (messages - 1) / 2 + 1
  const vendor =
    (fails: boolean): typeof fetch =>
    async (_, init) => {
      const at = step((JSON.parse(String(init?.body)) as { messages: unknown[] }).messages.length)
      asked = at
      const events =
        at > STEPS
          ? [START, ...WORDS, ...ended('end_turn')]
          : fails && at === STEPS
            ? end
            : [START, ...USE, ...ended('tool_use')]
      const body = events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    }
  const model = (fails: boolean, name: string) =>
    createAnthropic({ apiKey: 'k', name, fetch: vendor(fails) })('m') as LanguageModelV4
  const result = streamText({
    model: wrap(model(true, 'first'), model(false, 'second')),
    prompt: 'x',
    maxRetries: 0,
    stopWhen: stepCountIs(STEPS + 2),
    onError() {},
    tools: {
      count: tool({
        inputSchema: z.object({}),
        execute: () => void ran.set(asked, (ran.get(asked) ?? 0) + 1),
      }),
    },
  })
  try {
    for await (const _ of result.fullStream);
  } catch {
    // Told, which is not what is counted here.
  }
  return Math.max(...ran.values())
}
