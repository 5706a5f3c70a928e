import { realTime, sleep } from '../time/time.ts'
import type { Attempt } from './attempt/attempt.ts'
import { isCallFailed } from './call-failed.ts'
import type { CallResult } from './call-result.ts'
import type { CallContext, CallFunction } from './context.ts'
import { HedgeBucket, Latencies } from './hedge-bucket.ts'
import type { CallOptions } from './options.ts'

/** Makes a call without hedging. */
type Start<T> = (work: CallFunction<T>, options: CallOptions) => Promise<CallResult<T>>

/** How many pools and providers are remembered. */
const MOST = 256
const buckets = new Map<string, HedgeBucket>()
const latencies = new Map<string, Latencies>()

/** Why the slower of two was ended. */
function overtaken(): Error {
  return Object.assign(new Error('another provider answered first'), { name: 'AbortError' })
}

/**
 * Asks a second provider when the first is slow. The first answer wins, of a stream with `firstChunkMs` its first content; the other
 * is ended, and stands among the attempts.
 * @param pool the providers of the call, in the order in which it asks them
 */
export async function hedged<T>(
  work: CallFunction<T>,
  { hedge, ...options }: CallOptions,
  pool: readonly string[],
  start: Start<T>,
): Promise<CallResult<T>> {
  const bucket = kept(buckets, pool.join('\n'), () => new HedgeBucket())
  const first = new Racer(work, { ...options, pool }, start)
  const delayMs = hedge === 'p95' ? latenciesOf(pool[0] as string).p95 : hedge
  const second =
    delayMs === undefined
      ? undefined
      : await secondAfter(delayMs, first, pool, bucket, { work, options, start })
  try {
    const winner = second ? await firstOf(first, second) : first
    const result = await winner.result
    noteLatency(result.attempts.at(-1))
    const loser = winner === first ? second : first
    bucket.settled(true)
    return loser ? withLoser(result, await loser.end(overtaken())) : result
  } catch (error) {
    bucket.settled(false)
    throw error
  }
}

/** One of the two calls that race. */
class Racer<T> {
  /** The provider that it asks. */
  provider: string | undefined
  readonly result: Promise<CallResult<T>>
  /** Resolves when it has ended, one way or the other. */
  readonly ended: Promise<boolean>
  readonly #controller = new AbortController()

  constructor(work: CallFunction<T>, options: CallOptions, start: Start<T>) {
    const { signal } = options
    const own = this.#controller.signal
    const asking = (context: CallContext) => {
      this.provider = context.provider
      return work(context)
    }
    this.result = start(asking, { ...options, signal: signal ? AbortSignal.any([signal, own]) : own })
    this.ended = this.result.then(
      () => true,
      () => false,
    )
  }

  /** Ends it, with the stream that it may have returned, and returns its attempts. */
  async end(reason: Error): Promise<readonly Attempt[]> {
    this.#controller.abort(reason)
    try {
      return (await this.result).attempts
    } catch (error) {
      return isCallFailed(error) ? error.attempts : []
    }
  }
}

async function secondAfter<T>(
  delayMs: number,
  first: Racer<T>,
  pool: readonly string[],
  bucket: HedgeBucket,
  { work, options, start }: { work: CallFunction<T>; options: CallOptions; start: Start<T> },
): Promise<Racer<T> | undefined> {
  const stop = new AbortController()
  const waited = sleep(options.time ?? realTime, delayMs, stop.signal).then(
    () => 'slow' as const,
    () => undefined,
  )
  const how = await Promise.race([waited, first.ended])
  stop.abort()
  if (how !== 'slow' || options.signal?.aborted || !bucket.take()) return undefined
  const others = pool.filter(provider => provider !== first.provider)
  return new Racer(work, { ...options, pool: others, maxRetries: 0 }, start)
}

/** The one that succeeds first; if none does, the first of them, which says why. */
async function firstOf<T>(first: Racer<T>, second: Racer<T>): Promise<Racer<T>> {
  const won = (racer: Racer<T>) => racer.ended.then(isFine => (isFine ? racer : Promise.reject()))
  return Promise.any([won(first), won(second)]).catch(() => first)
}

function withLoser<T>(result: CallResult<T>, lost: readonly Attempt[]): CallResult<T> {
  const attempts = [...lost, ...result.attempts].map((attempt, at) =>
    Object.assign(attempt, { number: at + 1 }),
  )
  const spent = lost.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
  return Object.assign(result, {
    attempts,
    costUsd: spent === 0 ? result.costUsd : (result.costUsd ?? 0) + spent,
  })
}

function noteLatency(attempt: Attempt | undefined): void {
  if (attempt?.provider !== undefined) latenciesOf(attempt.provider).note(attempt.durationMs)
}

function latenciesOf(provider: string): Latencies {
  return kept(latencies, provider, () => new Latencies())
}

function kept<V>(map: Map<string, V>, key: string, make: () => V): V {
  const found = map.get(key)
  if (found) return found
  if (map.size >= MOST) map.clear()
  const made = make()
  map.set(key, made)
  return made
}
