import { call } from '../../src/call/call.ts'
import { isCallFailed } from '../../src/call/call-failed.ts'
import { Health } from '../../src/provider/health.ts'
import { resilientFetch } from '../../src/sdk/fetch/resilient-fetch.ts'
import { type Client, WRAPPED } from './clients.ts'
import type { Fault } from './faults.ts'
import { slug } from './server.ts'
import { ANSWER, VENDORS, WORDS } from './vendors.ts'

/** How one question ended for the program that asked it. */
export interface Ending {
  /** `silent`: it ended as if all were well, without the whole answer. `hangs`: it would wait for ever. */
  how: 'answered' | 'told' | 'silent' | 'hangs'
  isDoubled: boolean
  /** True if it took longer than the budget that a call and our wrappers are given. */
  isLate: boolean
  /** What the program was told. */
  error?: unknown
  /** How Mulligan classified the first provider's failure. */
  class?: string | undefined
  kind?: string | undefined
  finish?: string | undefined
}

/** Longer than any limit that is set here. */
const PATIENCE_MS = 12_000
/** What a call may take here, and what a busy machine may add to it. */
export const BUDGET_MS = 10_000
const TOLERANCE_MS = 500
const FIRST_CHUNK_MS = 3_000
const IDLE_MS = 3_000

export async function bare(client: Client, server: string, fault: Fault): Promise<Ending> {
  const url = `${server}/${slug(fault.name)}`
  return ending(signal => client.ask(url, signal), client, fault.answer)
}

/** With each library that people put in front of this client. */
export async function peers(client: Client, server: string, fault: Fault): Promise<Record<string, Ending>> {
  const [bad, good] = [`${server}/${slug(fault.name)}`, `${server}/good`]
  const asked = Object.entries(client.peers ?? {}).map(
    async ([name, ask]) =>
      [name, await ending(signal => ask(bad, good, signal), client, fault.answer)] as const,
  )
  return Object.fromEntries(await Promise.all(asked))
}

export async function mulligan(client: Client, server: string, fault: Fault): Promise<Ending> {
  const first = VENDORS[client.vendor].provider
  let result: Awaited<ReturnType<typeof call>> | undefined
  const ended = await ending(
    async outer => {
      result = await call(
        ({ provider, signal }) =>
          client.ask(`${server}/${provider === first ? slug(fault.name) : 'good'}`, signal),
        {
          pool: [first, 'second'],
          health: new Health(),
          maxRetries: 0,
          budgetMs: BUDGET_MS,
          signal: outer,
          ...(client.streams
            ? { firstChunkMs: FIRST_CHUNK_MS, idleMs: IDLE_MS }
            : { attemptTimeoutMs: FIRST_CHUNK_MS }),
        },
      )
      return result.value
    },
    client,
    fault.answer,
  )
  const failure =
    result?.attempts[0]?.failure ?? (isCallFailed(ended.error) ? ended.error.failure : undefined)
  return { ...ended, class: failure?.class, kind: failure?.kind, finish: result?.finish?.as }
}

/** In one line: with our wrapper of the client, or with our `fetch` in it. */
export async function wrapped(client: Client, server: string, fault: Fault): Promise<Ending> {
  const [bad, good] = [`${server}/${slug(fault.name)}`, `${server}/good`]
  const version = client.of === 'openai' ? '/v1' : ''
  const providers = [
    { id: VENDORS[client.vendor].provider },
    { baseURL: `${good}${version}`, apiKey: 'k', id: 'second' },
  ]
  return ending(
    signal =>
      client.askWrapped?.(bad, good, signal) ??
      client.ask(bad, signal, resilientFetch({ ...WRAPPED, health: new Health(), providers })),
    client,
    fault.answer,
  )
}

/** Asks and reads like a program, until it ends one way or the other. */
async function ending(
  ask: (signal: AbortSignal) => unknown,
  client: Client,
  answer = ANSWER,
): Promise<Ending> {
  const controller = new AbortController()
  const began = performance.now()
  let text = ''
  const isDoubled = () => text.split(WORDS[0] as string).length > 2
  const reading = (async (): Promise<Omit<Ending, 'isLate'>> => {
    try {
      const value = await ask(controller.signal)
      await client.read(value as never, piece => {
        text += piece
      })
    } catch (error) {
      return { how: 'told', isDoubled: isDoubled(), error }
    }
    return { how: text === answer ? 'answered' : 'silent', isDoubled: isDoubled() }
  })()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Omit<Ending, 'isLate'>>(resolve => {
    timer = setTimeout(() => resolve({ how: 'hangs', isDoubled: isDoubled() }), PATIENCE_MS)
  })
  const ended = await Promise.race([reading, late])
  clearTimeout(timer)
  controller.abort(new Error('the matrix waited long enough'))
  return { ...ended, isLate: performance.now() - began > BUDGET_MS + TOLERANCE_MS }
}
