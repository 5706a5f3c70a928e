import type { ClassifyContext } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import type { Choice } from '../provider/gate.ts'
import { Health } from '../provider/health.ts'
import { realTime, sleep, type Time } from '../time/time.ts'
import { isSucceeded, type Succeeded } from '../verdict/succeeded.ts'
import { retryMode } from '../verdict/try-again.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { attemptFailure, isPlainSuccess } from './attempt/failure.ts'
import { Judge } from './attempt/judge.ts'
import type { Outcome } from './attempt/outcome.ts'
import { tellHealth } from './attempt/tell-health.ts'
import { AttemptLog } from './attempt-log.ts'
import { type Attempted, AttemptRunner } from './attempt-runner.ts'
import { Budget } from './budget.ts'
import { CallEvents } from './call-events.ts'
import type { CallResult } from './call-result.ts'
import { checkOptions, checkWork } from './check-options.ts'
import { CallCircumstances } from './circumstances.ts'
import { classifyContextOf } from './classify-context.ts'
import { withEffectOfCall } from './effect-of-call.ts'
import { Ending } from './ending.ts'
import { type Destination, GateClient } from './gate-client.ts'
import type { CallOptions } from './options.ts'
import { passesThrough } from './pass-through.ts'
import { health } from './process-health.ts'
import { refusedRepeat, withRemedies } from './remedy.ts'
import { handOut } from './stream/hand-out.ts'
import { freeBody } from './stream/response.ts'
import { loadTracing } from './telemetry.ts'
import type { CallFunction, ProviderOf, Resume } from './try.ts'

/**
 * Runs work until it succeeds or one answer is final, within one budget: retries, waits, and the next provider of
 * the pool, as the policy says. Resolves with the value and every try, or rejects with {@link CallFailed}.
 */
export function call<T, const P extends string = string>(
  work: CallFunction<T, ProviderOf<NoInfer<P>>>,
  options: CallOptions<P> = {},
): Promise<CallResult<T, P>> {
  // Not async itself: every layer of promises is paid for by every call.
  try {
    checkWork(work)
    checkOptions(options)
    // The class need not know the names of the providers: what it gives the work is one of them.
    const untyped = work as CallFunction<T, never> as CallFunction<T>
    const run = () => new Call(untyped, options).run() as Promise<CallResult<T, P>>
    const loading = loadTracing()
    return loading ? loading.then(run) : run()
  } catch (error) {
    return Promise.reject(error)
  }
}

/** Where the next try goes: back to a provider after a retry, elsewhere after a failover, to any at first. */
interface Next extends Destination {
  /** The session that the next try continues. */
  resume?: Resume | undefined
}

type Refused = Extract<Choice, { permit?: undefined }>

const FROM_THE_START: Next = {}

class Call<T> {
  readonly #options: CallOptions
  readonly #time: Time
  readonly #budget: Budget
  readonly #events: CallEvents | undefined
  readonly #circumstances: CallCircumstances
  readonly #judge: Judge
  readonly #ending: Ending
  readonly #gate: GateClient
  readonly #runner: AttemptRunner<T>

  constructor(work: CallFunction<T>, options: CallOptions) {
    this.#options = options
    this.#time = options.time ?? realTime
    const log = new AttemptLog()
    this.#budget = new Budget(this.#time, options)
    this.#events = CallEvents.for(options, this.#time)
    this.#circumstances = new CallCircumstances(options, this.#time, this.#budget)
    this.#judge = new Judge(this.#circumstances)
    this.#ending = new Ending(log, this.#budget, this.#judge, this.#events, () => this.#context())
    this.#runner = new AttemptRunner(work, options, this.#time, this.#budget, log, this.#events)
    const gate = options.gate ?? (options.time ? new Health({ time: options.time }) : health)
    this.#gate = new GateClient(gate, options, this.#time, this.#budget, this.#ending)
  }

  async run(): Promise<CallResult<T>> {
    const { signal } = this.#options
    let next = FROM_THE_START
    for (;;) {
      if (signal?.aborted) throw this.#ending.aborted(signal)
      const chosen = this.#gate.choose(next)
      const choice = chosen instanceof Promise ? await chosen : chosen
      if (choice && !choice.permit) {
        next = await this.#afterRefusal(choice, next)
        continue
      }
      const startedMs = this.#budget.elapsedMs
      const remainingMs = this.#budget.remainingAfter(startedMs)
      // Timers may be late: a try that has no time left could only be paid for.
      if (remainingMs === 0) {
        choice?.permit.released()
        throw this.#ending.outOfTime()
      }
      const attempted = await this.#runner.run(choice, next.resume, startedMs, remainingMs)
      const { outcome, attempt, permit } = attempted
      this.#circumstances.isCommitted ||= attempted.running.isCommitted
      if (outcome.ended === 'threw' && passesThrough(outcome.error, this.#options.passThrough))
        throw this.#ending.passedThrough(outcome.error, attempt, permit)
      const isFine = attempted.stream !== undefined || this.#isPlainSuccess(outcome)
      const failed = isFine ? undefined : attemptFailure(outcome, this.#context(permit?.provider))
      if (!failed) return this.#succeeded(attempted)
      const after = await this.#afterFailure(failed.failure, failed.cause, attempted, next.resume)
      // A policy knows its result: it is given as if the work had returned it.
      if (isSucceeded(after))
        return this.#ending.succeeded(after.succeeded as T, permit?.provider, this.#budget.elapsedMs)
      next = after
    }
  }

  /** Resolves with the value; a stream stays under watch. */
  #succeeded(attempted: Attempted<T>): CallResult<T> {
    const { attempt, permit, stream, startedMs } = attempted
    const { value } = attempted.outcome as { value: T }
    if (!stream) permit?.succeeded(attempt, value)
    const result = this.#ending.succeeded(value, permit?.provider, startedMs + attempt.durationMs)
    if (stream)
      handOut(result, attempted, stream, {
        budget: this.#budget,
        circumstances: this.#circumstances,
        judge: this.#judge,
        ending: this.#ending,
        events: this.#events,
        context: provider => this.#context(provider),
        passThrough: this.#options.passThrough,
        note: () => this.#runner.note(attempted),
      })
    return result
  }

  async #afterFailure(
    read: Failure,
    cause: unknown,
    { attempt, permit, running }: Attempted<T>,
    resumed: Resume | undefined,
  ): Promise<Next | Succeeded> {
    const { atomic = false, resumable = false } = this.#options
    const { isCommitted } = this.#circumstances
    const { failure, isLifted } = withEffectOfCall(read, running, this.#options, isCommitted, resumed)
    attempt.failure = failure
    if (permit) {
      this.#gate.failed(permit.provider)
      tellHealth(permit, failure, this.#judge, attempt)
    }
    const livesWith = retryMode(failure, { resumable }) === 'resume' ? permit?.provider : undefined
    const outlook = permit && (await this.#gate.outlook(failure, livesWith))
    const refuseRetry = permit && (() => this.#gate.refuseRetry(permit.provider))
    const judged = this.#judge.judge(failure, outlook, refuseRetry)
    if (isSucceeded(judged)) {
      this.#events?.answered(attempt, failure, judged)
      return judged
    }
    const refused = refusedRepeat(judged.verdict, isLifted && !atomic)
    const verdict = withRemedies(judged.verdict, refused)
    attempt.verdict = verdict
    this.#events?.failed(attempt, failure, verdict, refused)
    if (judged.boundBy === 'cost' && verdict.action === 'cancel')
      throw this.#ending.stopped(cause, { rail: 'max_budget' })
    if (verdict.action !== 'failover' && verdict.action !== 'retry')
      throw this.#ending.failed(failure, verdict, cause)
    freeBody(cause)
    if (verdict.action === 'failover') return { after: failure }
    this.#circumstances.retries++
    await this.#wait(verdict)
    const { sessionId } = failure
    const resume = verdict.mode === 'resume' && sessionId !== undefined ? { sessionId, failure } : undefined
    return { again: permit?.provider, after: failure, resume }
  }

  /** A retry whose provider no longer admits it goes to another that does, rather than wait for the first. */
  async #afterRefusal({ failure, availableAt }: Refused, next: Next): Promise<Next> {
    const { again, after } = next
    // A session can only be continued where it is; no other provider may start what it may have done.
    const mayMove = again !== undefined && after !== undefined && next.resume === undefined
    if (mayMove && (await this.#gate.outlook(after)).otherProviderAvailable) return { after }
    // No try was made and none counts. Waiting for the block to end is all there is to do.
    const verdict = this.#judge.verdict(failure, this.#circumstances.unadmitted(availableAt))
    if (verdict.action !== 'retry') throw this.#ending.failed(failure, verdict, undefined)
    this.#gate.waitingSince ??= this.#time.monotonic()
    this.#circumstances.admissionWaits++
    await this.#wait(verdict)
    return next
  }

  async #wait({ delayMs, reason }: Extract<Verdict, { action: 'retry' }>): Promise<void> {
    this.#events?.waiting(delayMs, reason)
    const { signal } = this.#options
    try {
      await sleep(this.#time, delayMs, signal)
    } catch (abortReason) {
      throw this.#ending.stopped(abortReason, { aborted: true })
    }
  }

  /** A classifier of the caller sees returned values too, unless none of them is to count as a failure. */
  #isPlainSuccess(outcome: Outcome): boolean {
    const { classifier, softFailures = true } = this.#options
    return (!classifier || !softFailures) && isPlainSuccess(outcome, softFailures)
  }

  #context(provider?: string): ClassifyContext {
    return classifyContextOf(this.#options, this.#time.now(), provider)
  }
}
