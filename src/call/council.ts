import { WrongArgument } from '../failure/own-error.ts'
import { present } from '../failure/present.ts'
import type { Gate } from '../provider/gate.ts'
import { realTime, type Time } from '../time/time.ts'
import { emitWarning } from '../time/warning.ts'
import { levelsOf } from '../verdict/decide.ts'
import { notify } from '../verdict/listener.ts'
import { councilPolicy } from '../verdict/presets/council.ts'
import { call } from './call.ts'
import { isCallFailed } from './call-failed.ts'
import { checkOptions } from './check-options.ts'
import { costOf, failureOf, successOf, tooFew } from './council-answers.ts'
import type { CouncilEvent } from './council-event.ts'
import { councilGate } from './council-gate.ts'
import {
  type Aggregator,
  type CouncilLimits,
  type CouncilMember,
  type CouncilOptions,
  councilLimits,
  FEWEST_ANSWERS,
} from './council-options.ts'
import {
  type Aggregation,
  type CouncilAnswers,
  type CouncilEnd,
  CouncilFailed,
  type CouncilResult,
  type MemberFailure,
  type MemberSuccess,
} from './council-result.ts'
import { participationSummary, textOfValue } from './council-summary.ts'
import type { CallOptions } from './options.ts'
import { processHealth } from './process-health.ts'

/**
 * Asks several members the same question in parallel, each within its own budget, and stops waiting for the rest when enough
 * have answered. Resolves with each member's answer or failure. Rejects with {@link CouncilFailed} if fewer than two answered,
 * the cap passed, or the caller aborted.
 */
export async function council<T, A = never>(
  members: readonly CouncilMember<T>[],
  options: CouncilOptions<T, A>,
): Promise<CouncilResult<T, A>> {
  const warn = options.onWarning ?? (warning => emitWarning(warning, 'MULLIGAN_COUNCIL'))
  return new Council(members, options, councilLimits(members, options, warn)).run()
}

/** A member's state. Once it is not pending, nothing late changes it. */
type Seat<T> =
  | { state: 'pending' }
  | { state: 'success'; success: MemberSuccess<T> }
  | { state: 'failure'; failure: MemberFailure }
  | { state: 'aborted' }

class Council<T, A> {
  readonly #members: readonly CouncilMember<T>[]
  readonly #options: CouncilOptions<T, A>
  readonly #limits: CouncilLimits
  readonly #time: Time
  /** Undefined if the council has a clock but no gate of its own: then every member has its own health. */
  readonly #gate: Gate | undefined
  readonly #seats: Seat<T>[]
  readonly #attempts: number[]
  /** Cancels the members; the aggregator, which starts after them, has its own. */
  readonly #memberStop = new AbortController()
  readonly #stop = new AbortController()
  #wake: () => void = () => {}
  /** Ends the council with what a member threw that is not a failure. */
  #endWith: (error: unknown) => void = () => {}

  constructor(members: readonly CouncilMember<T>[], options: CouncilOptions<T, A>, limits: CouncilLimits) {
    this.#members = members
    this.#options = options
    this.#limits = limits
    this.#time = options.time ?? realTime
    const gate = options.health ?? (options.time ? undefined : processHealth)
    this.#gate = gate && councilGate(gate)
    this.#seats = members.map(() => ({ state: 'pending' }))
    this.#attempts = members.map(() => 0)
    // Reports wrong settings before any member is asked.
    for (const member of members)
      checkOptions(this.#callOptions(member, member.name, limits.budgetMs, this.#memberStop.signal))
    if (options.aggregator) checkOptions(this.#aggregatorOptions(options.aggregator))
  }

  /** Everything happens within the cap and the caller's signal; the first to end ends it all. */
  run(): Promise<CouncilResult<T, A>> {
    const { signal } = this.#options
    return new Promise((resolve, reject) => {
      const end = (because: CouncilEnd, message: string, cause?: unknown) => {
        finish()
        const reason = cause ?? new Error(message)
        this.#callOff(reason)
        this.#stop.abort(reason)
        reject(this.#failed(because, message, cause))
      }
      const onAbort = () => end('aborted', 'the council was aborted', signal?.reason)
      const { hardCapMs } = this.#limits
      const cancelCap = this.#time.after(hardCapMs, () =>
        end('hard_cap', `council timed out after ${inSeconds(hardCapMs)}`),
      )
      const finish = () => {
        cancelCap()
        signal?.removeEventListener('abort', onAbort)
      }
      this.#endWith = error => {
        finish()
        this.#callOff(error)
        this.#stop.abort(error)
        reject(error)
      }
      if (signal?.aborted) {
        onAbort()
        return
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#proceed().then(
        result => {
          finish()
          resolve(result)
        },
        error => {
          finish()
          reject(error)
        },
      )
    })
  }

  async #proceed(): Promise<CouncilResult<T, A>> {
    this.#members.forEach((member, index) => void this.#ask(member, index))
    await this.#until(() => this.#count('pending') === 0 || this.#count('success') >= this.#limits.quorum)
    await this.#grace()
    this.#stop.signal.throwIfAborted()
    this.#callOff(new Error('the quorum was reached without it'))
    const answers = this.#answers()
    if (answers.successes.length < FEWEST_ANSWERS) throw this.#failed('too_few', tooFew(answers))
    return this.#options.aggregator ? { ...answers, aggregation: await this.#aggregate(answers) } : answers
  }

  /** Never rejects: the seat says how it ended. */
  async #ask(member: CouncilMember<T>, index: number): Promise<void> {
    const { budgetMs } = this.#limits
    const startedMs = this.#time.monotonic()
    const options = this.#callOptions(member, member.name, budgetMs, this.#memberStop.signal)
    options.onEvent = event => {
      if (event.type === 'attempt.started') this.#attempts[index] = event.attempt
      this.#emit({ type: 'call', at: event.at, member: member.name, event })
    }
    try {
      this.#take(index, {
        state: 'success',
        success: successOf(
          member.name,
          await call(context => member.ask(context, this.#options.prompt), options),
        ),
      })
    } catch (error) {
      if (!isCallFailed(error)) {
        this.#endWith(error)
        return
      }
      const remainingMs = budgetMs - (this.#time.monotonic() - startedMs)
      this.#take(index, {
        state: 'failure',
        failure: failureOf(member.name, error, this.#time.now(), remainingMs),
      })
    }
  }

  #callOptions(
    { provider, model, credential }: Pick<CallOptions, 'provider' | 'model' | 'credential'>,
    name: string,
    budgetMs: number,
    signal: AbortSignal,
  ): CallOptions {
    const { policy = [], time, random, classifier, classify, passThrough } = this.#options
    const { minRetryBudgetMs } = this.#limits
    return {
      name: `council:${name}`,
      budgetMs,
      maxRetries: 1,
      urgent: true,
      minRetryBudgetMs,
      // An answer that was cut or filtered is no voice in a quorum.
      finish: 'strict',
      policy: [...levelsOf(policy), councilPolicy(minRetryBudgetMs)],
      signal,
      ...present({
        provider,
        model,
        credential,
        health: this.#gate,
        time,
        random,
        classifier,
        classify,
        passThrough,
      }),
    }
  }

  #take(index: number, seat: Exclude<Seat<T>, { state: 'pending' }>): void {
    if (this.#seats[index]?.state !== 'pending') return
    this.#seats[index] = seat
    const { name } = this.#members[index] as CouncilMember<T>
    this.#emit({ type: 'member.settled', at: this.#time.now(), member: name, as: seat.state })
    this.#wake()
  }

  /** Waits until the condition holds; checks it on every change of a seat. */
  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  async #grace(): Promise<void> {
    const pending = this.#count('pending')
    if (pending === 0) return
    const { graceMs } = this.#limits
    this.#emit({
      type: 'quorum.reached',
      at: this.#time.now(),
      successes: this.#count('success'),
      pending,
      graceMs,
    })
    if (graceMs === 0) return
    let isOver = false
    const cancel = this.#time.after(graceMs, () => {
      isOver = true
      this.#wake()
    })
    this.#stop.signal.addEventListener('abort', cancel, { once: true })
    await this.#until(() => isOver || this.#count('pending') === 0)
    this.#stop.signal.removeEventListener('abort', cancel)
    cancel()
  }

  /** Settles the seats before aborting any member, so a late answer changes nothing. */
  #callOff(reason: unknown): void {
    this.#seats.forEach((seat, index) => {
      if (seat.state === 'pending') this.#take(index, { state: 'aborted' })
    })
    this.#memberStop.abort(reason)
  }

  async #aggregate(answers: CouncilAnswers<T>): Promise<Aggregation<A>> {
    const { aggregator } = this.#options
    if (!aggregator) throw new WrongArgument('there is no aggregator')
    this.#emit({ type: 'aggregating', at: this.#time.now(), successes: answers.successes.length })
    const options = this.#aggregatorOptions(aggregator)
    options.onEvent = event => this.#emit({ type: 'call', at: event.at, member: undefined, event })
    try {
      const { value, attempts, costUsd } = await call(
        context => aggregator.aggregate(answers, context),
        options,
      )
      return { ok: true, value, attempts: attempts.length, costUsd }
    } catch (error) {
      if (!isCallFailed(error)) throw error
      return { ok: false, failure: error.failure, error }
    }
  }

  #aggregatorOptions(aggregator: Aggregator<T, A>): CallOptions {
    return this.#callOptions(aggregator, 'aggregator', this.#limits.aggregatorBudgetMs, this.#stop.signal)
  }

  #answers(): CouncilAnswers<T> {
    const seats = this.#seats
    const successes = seats.flatMap(seat => (seat.state === 'success' ? [seat.success] : []))
    const failures = seats.flatMap(seat => (seat.state === 'failure' ? [seat.failure] : []))
    const aborted = this.#members.flatMap(({ name }, index) =>
      seats[index]?.state === 'aborted' ? [{ member: name, attempts: this.#attempts[index] ?? 0 }] : [],
    )
    const { prompt, textOf = textOfValue } = this.#options
    const isQuorum = successes.length >= this.#limits.quorum
    const summary = participationSummary({ prompt, successes, failures, aborted, isQuorum, textOf })
    return { successes, failures, aborted, summary, costUsd: costOf([...successes, ...failures]) }
  }

  #failed(because: CouncilEnd, message: string, cause?: unknown): CouncilFailed<T> {
    return new CouncilFailed(because, message, this.#answers(), cause)
  }

  #count(state: Seat<T>['state']): number {
    return this.#seats.filter(seat => seat.state === state).length
  }

  #emit(event: CouncilEvent): void {
    notify(this.#options.onEvent, event)
  }
}

function inSeconds(ms: number): string {
  return ms < 1_000 ? `${ms}ms` : `${Math.round(ms / 1_000)}s`
}
