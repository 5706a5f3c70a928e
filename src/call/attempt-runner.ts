import type { Choice, Permit } from '../provider/gate.ts'
import type { Time } from '../time/time.ts'
import type { Attempt } from './attempt/attempt.ts'
import type { Outcome } from './attempt/outcome.ts'
import type { AttemptLog } from './attempt-log.ts'
import type { Budget } from './budget.ts'
import type { CallEvents } from './call-events.ts'
import type { CallOptions } from './options.ts'
import { type Begun, beginStream } from './stream/begin.ts'
import { isStream } from './stream/returned.ts'
import type { StreamWatch } from './stream/watch.ts'
import { type CallFunction, type Resume, Try } from './try.ts'

const NOBODY_PASSED_OVER: Choice['passedOver'] = []

/** An attempt that has ended, and what it was made with. */
export interface Attempted<T> {
  attempt: Attempt
  permit: Permit | undefined
  running: Try<T>
  outcome: Outcome<T>
  /** Over the stream that it returned, if it did. */
  stream: StreamWatch | undefined
  /** Milliseconds from the begin of the call to that of the attempt. */
  startedMs: number
}

/** Makes the attempts of one call, one after another. */
export class AttemptRunner<T> {
  readonly #work: CallFunction<T>
  readonly #options: CallOptions
  readonly #time: Time
  readonly #budget: Budget
  readonly #log: AttemptLog
  readonly #events: CallEvents | undefined

  constructor(
    work: CallFunction<T>,
    options: CallOptions,
    time: Time,
    budget: Budget,
    log: AttemptLog,
    events: CallEvents | undefined,
  ) {
    this.#work = work
    this.#options = options
    this.#time = time
    this.#budget = budget
    this.#log = log
    this.#events = events
  }

  /** Runs the work once. Never rejects. */
  async run(
    choice: Extract<Choice, { permit: Permit }> | undefined,
    resume: Resume | undefined,
    startedMs: number,
    remainingMs: number,
  ): Promise<Attempted<T>> {
    const permit = choice?.permit
    const attempt = this.#log.begin(permit?.provider, this.#time.now())
    this.#events?.started(attempt, remainingMs, choice?.passedOver ?? NOBODY_PASSED_OVER)
    const { attemptTimeoutMs = Infinity, graceMs = 0, signal } = this.#options
    const running = new Try<T>({
      time: this.#time,
      budget: this.#budget,
      provider: attempt.provider,
      permit,
      attempt: attempt.number,
      remainingMs,
      limitMs: Math.min(attemptTimeoutMs, remainingMs),
      graceMs,
      resume,
      signal,
    })
    let outcome = await (this.#events ? this.#events.within(running, this.#work) : running.run(this.#work))
    let stream: StreamWatch | undefined
    if (outcome.ended === 'returned' && isStream(outcome.value))
      ({ outcome, watch: stream } = await this.#beginStream(outcome.value, running))
    const attempted = { attempt, permit, running, outcome, stream, startedMs }
    this.note(attempted)
    return attempted
  }

  /** Writes down how long an attempt has taken by now, and what it has cost. */
  note({ attempt, running, startedMs }: Attempted<T>): void {
    this.#log.note(attempt, running.tally, this.#budget.elapsedMs - startedMs)
  }

  #beginStream(value: T & object, running: Try<T>): Promise<Begun<T>> {
    const { signal, firstChunkMs, idleMs, softFailures } = this.#options
    const abort = (reason: unknown) => running.abort(reason)
    const settings = { time: this.#time, budget: this.#budget, signal, firstChunkMs, idleMs, abort }
    return beginStream<T & object>(value, settings, softFailures !== false)
  }
}
