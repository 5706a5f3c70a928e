import { realTime, sleep } from '../time/time.ts'
import type { Attempt } from './attempt/attempt.ts'
import { Overtaken } from './attempt/outcome.ts'
import { Budget } from './budget.ts'
import type { Race } from './call-deps.ts'
import { isCallFailed } from './call-failed.ts'
import type { CallResult } from './call-result.ts'
import { HedgeBucket, Latencies } from './hedge-bucket.ts'
import type { CallOptions } from './options.ts'

/** Prepares a call without hedging. */
type Start<T> = (options: CallOptions, race: Race) => Racing<T>

interface Racing<T> {
  run(): Promise<CallResult<T>>
  /** So far, in order. */
  readonly attempts: readonly Attempt[]
}

/** How many pools and providers are remembered. */
const MOST = 256
const buckets = new Map<string, HedgeBucket>()
const latencies = new Map<string, Latencies>()

/**
 * Asks a second provider when the first is slow. The first answer wins, of a stream with `firstChunkMs` its first content; the other
 * is ended, and stands among the attempts. Both have one budget.
 * @param pool the providers of the call, in the order in which it asks them
 */
export async function hedged<T>(
  { hedge, ...options }: CallOptions,
  pool: readonly string[],
  start: Start<T>,
): Promise<CallResult<T>> {
  const bucket = kept(buckets, pool.join('\n'), () => new HedgeBucket())
  const track = new Track<T>(options, start)
  const first = track.begin({ pool })
  const delayMs = hedge === 'p95' ? latenciesOf(pool[0] as string).p95 : hedge
  let second: Racer<T> | undefined
  if (delayMs !== undefined && (await track.isSlow(first, delayMs)) && bucket.take()) {
    const { provider } = first
    second = track.begin({ pool: pool.filter(other => other !== provider), maxRetries: 0 })
  }
  const winner = second ? await track.winner(first, second) : first
  const loser = winner === first ? second : first
  const ended = loser?.end()
  try {
    const result = await winner.result
    noteLatency(result.attempts.at(-1))
    bucket.settled(true)
    await ended
    return loser ? Object.assign(result, track.told(loser, winner)) : result
  } catch (error) {
    bucket.settled(false)
    throw loser && isCallFailed(error) ? Object.assign(error, track.told(first, second as Racer<T>)) : error
  }
}

/** One of the two calls that race. */
class Racer<T> {
  readonly result: Promise<CallResult<T>>
  /** Resolves when it has ended, one way or the other. */
  readonly ended: Promise<boolean>
  readonly #call: Racing<T>
  readonly #controller: AbortController

  constructor(call: Racing<T>, controller: AbortController) {
    this.#call = call
    this.#controller = controller
    this.result = call.run()
    this.ended = this.result.then(
      () => true,
      () => false,
    )
  }

  get attempts(): readonly Attempt[] {
    return this.#call.attempts
  }

  /** The provider that it asks. */
  get provider(): string | undefined {
    return this.attempts.at(-1)?.provider
  }

  /** Ends it, with the stream that it may have returned. */
  end(): Promise<boolean> {
    this.#controller.abort(new Overtaken())
    return this.ended
  }
}

/** What the racers share. */
class Track<T> {
  readonly #options: CallOptions
  readonly #start: Start<T>
  readonly #budget: Budget
  /** Resolves with the first that has delivered output: nobody else may. */
  readonly #committed: Promise<Racer<T>>
  #onCommitted: (racer: Racer<T>) => void = () => {}

  constructor(options: CallOptions, start: Start<T>) {
    this.#options = options
    this.#start = start
    this.#budget = new Budget(options.time ?? realTime, options)
    this.#committed = new Promise(resolve => {
      this.#onCommitted = resolve
    })
  }

  begin(own: Pick<CallOptions, 'pool' | 'maxRetries'>): Racer<T> {
    const { signal } = this.#options
    const controller = new AbortController()
    const both = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal
    // The work may deliver something at once, before there is a racer to tell of.
    const onCommitted = () => queueMicrotask(() => this.#onCommitted(racer))
    const call = this.#start(
      { ...this.#options, ...own, signal: both },
      { budget: this.#budget, onCommitted },
    )
    const racer: Racer<T> = new Racer(call, controller)
    return racer
  }

  /** Waits for a call that may be slow. True if another should be made. */
  async isSlow(first: Racer<T>, delayMs: number): Promise<boolean> {
    const { time = realTime, signal } = this.#options
    const stop = new AbortController()
    const waited = sleep(time, delayMs, stop.signal).then(
      () => true,
      () => false,
    )
    const isFast = Promise.race([first.ended, this.#committed]).then(() => false)
    const isSlow = await Promise.race([waited, isFast])
    stop.abort()
    return isSlow && !signal?.aborted && !this.#budget.isSpent
  }

  /** The one that first succeeds or delivers output; if none does, the first of them, which says why. */
  winner(first: Racer<T>, second: Racer<T>): Promise<Racer<T>> {
    const won = (racer: Racer<T>) => racer.ended.then(isFine => (isFine ? racer : Promise.reject()))
    const answered = Promise.any([won(first), won(second)]).catch(() => first)
    return Promise.race([answered, this.#committed])
  }

  /** What both did and cost. */
  told(one: Racer<T>, other: Racer<T>): Pick<CallResult<T>, 'attempts' | 'costUsd'> {
    const attempts = [...one.attempts, ...other.attempts].map((attempt, at) =>
      Object.assign(attempt, { number: at + 1 }),
    )
    return { attempts, costUsd: this.#budget.costUsd }
  }
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
