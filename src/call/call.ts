import { withWhatWasDone } from '../failure/carried.ts'
import type { Finish } from '../failure/stream/finish.ts'
import { type Used, usedBy } from '../failure/stream/usage.ts'
import type { Choice } from '../provider/gate.ts'
import { Health } from '../provider/health.ts'
import { sleep } from '../time/time.ts'
import { livesInSession, withRemedies } from '../verdict/second-try.ts'
import { isSucceeded, type Succeeded } from '../verdict/succeeded.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { afterFailure } from './attempt/after-failure.ts'
import type { Attempt } from './attempt/attempt.ts'
import { type AttemptFailure, attemptFailure, isPlainSuccess } from './attempt/failure.ts'
import { NO_OTHER_PROVIDER } from './attempt/judge.ts'
import type { Outcome } from './attempt/outcome.ts'
import { CallDeps, type Race } from './call-deps.ts'
import type { CallResult } from './call-result.ts'
import { checkOptions, checkWork } from './check-options.ts'
import type { CallFunction, ProviderOf, Resume } from './context.ts'
import {
  callAborted,
  callFailed,
  callOutOfTime,
  callStopped,
  callSucceeded,
  passedThrough,
} from './ending.ts'
import { failsOver, finishFailure, finishOfReturned, inWords, noAnswer } from './finish.ts'
import { type Destination, GateClient } from './gate-client.ts'
import { hedged } from './hedge.ts'
import type { CallOptions } from './options.ts'
import { passesThrough } from './pass-through.ts'
import { processHealth } from './process-health.ts'
import { routeOf } from './route.ts'
import { type RefusedRepeat, refusedRepeat, repeatableOf, withEffectOfCall } from './second-try.ts'
import { watchStream } from './stream/begin.ts'
import { handOut } from './stream/hand-out.ts'
import { freeBody } from './stream/response.ts'
import { isStream } from './stream/returned.ts'
import type { StreamWatch } from './stream/watch.ts'
import { loadTracing } from './tracing.ts'
import { Try } from './try.ts'

/**
 * Runs work until it succeeds or the answer is final, within one budget: retries, waits, and fails over to the next provider
 * of the pool, as the policy says. Resolves with the value and every try, or rejects with {@link CallFailed}.
 */
export function call<T, const P extends string = string>(
  work: CallFunction<T, ProviderOf<NoInfer<P>>>,
  options: CallOptions<P> = {},
): Promise<CallResult<T, P>> {
  // Not async itself, because every call pays for every layer of promises.
  try {
    checkWork(work)
    checkOptions(options)
    // The class need not know the provider names: what it passes to the work is one of them.
    const untyped = work as CallFunction<T, never> as CallFunction<T>
    const loading = loadTracing()
    const result = loading ? runAfter(loading, untyped, options) : begin(untyped, options)
    return result as Promise<CallResult<T, P>>
  } catch (error) {
    return Promise.reject(error)
  }
}

/** A separate function, because a closure within `call` would cost every call, even those that do not wait. */
async function runAfter<T>(
  loading: Promise<void>,
  work: CallFunction<T>,
  options: CallOptions,
): Promise<CallResult<T>> {
  await loading
  return begin(work, options)
}

function begin<T>(work: CallFunction<T>, options: CallOptions): Promise<CallResult<T>> {
  if (options.hedge === undefined || repeatableOf(options) === false) return new Call(work, options).run()
  const { providers, models, failover } = routeOf(options, options.health ?? processHealth)
  const start = (given: CallOptions, race: Race) =>
    new Call(work, { ...given, models, failover, routing: 'order' }, race)
  return providers.length < 2 ? new Call(work, options).run() : hedged(options, providers, start)
}

/** Where the next try goes: back to a provider after a retry, elsewhere after a failover, anywhere at first. */
interface Next extends Destination {
  /** The session that the next try continues. */
  resume?: Resume | undefined
}

type Refused = Extract<Choice, { permit?: undefined }>

const FROM_THE_START: Next = {}

/** A complete answer that is cut or filtered. */
interface Kept<T> {
  value: T
  running: Try<T>
  stream: StreamWatch | undefined
  finish: Finish
}

class Call<T> {
  readonly #work: CallFunction<T>
  readonly #options: CallOptions
  readonly #deps: CallDeps
  readonly #gate: GateClient
  /** The first answer that another may better, while others are asked. */
  #kept: Kept<T> | undefined

  constructor(work: CallFunction<T>, options: CallOptions, race?: Race) {
    this.#work = work
    this.#options = options
    this.#deps = new CallDeps(options, race)
    const gate = options.health ?? (options.time ? new Health({ time: options.time }) : processHealth)
    this.#deps.route = routeOf(options, gate)
    this.#gate = new GateClient(gate, this.#deps)
  }

  /** The tries so far, in order. */
  get attempts(): readonly Attempt[] {
    return this.#deps.log.list
  }

  async run(): Promise<CallResult<T>> {
    const deps = this.#deps
    const { budget, events } = deps
    const { signal, passThrough, attemptTimeoutMs = Infinity, firstChunkMs = Infinity } = this.#options
    const { softFailures = true } = this.#options
    let next = FROM_THE_START
    // Since the call began. Nearly every call makes one try at once, so the clock is read only after an await.
    let startedMs = deps.race ? budget.elapsedMs : 0
    try {
      for (;;) {
        if (signal?.aborted) throw callAborted(deps, signal)
        let choice = this.#gate.choose(next)
        if (choice instanceof Promise) {
          choice = await choice
          startedMs = budget.elapsedMs
        }
        if (choice && !choice.permit) {
          if (this.#canDeliverKept) return this.#deliverKept()
          next = await this.#afterRefusal(choice, next)
          startedMs = budget.elapsedMs
          continue
        }
        const remainingMs = budget.remainingAfter(startedMs)
        // Timers may be late: a try without time left would only cost money.
        if (remainingMs === 0) {
          choice?.permit.released()
          if (this.#canDeliverKept) return this.#deliverKept()
          throw callOutOfTime(deps)
        }
        const running = new Try<T>(deps, choice, next.resume, startedMs, remainingMs)
        const { attempt, permit } = running
        let outcome = await (events ? events.within(running, this.#work) : running.run(this.#work))
        let stream: StreamWatch | undefined
        let used: Used | undefined
        if (outcome.ended === 'returned' && isStream(outcome.value))
          ({ outcome, watch: stream, used } = await watchStream(deps, running, outcome.value))
        if (outcome.ended === 'returned' && !stream) used = usedBy(outcome.value)
        if (used) running.used(used)
        running.note()
        if (running.isCommitted) deps.circumstances.isCommitted = true
        if (outcome.ended === 'threw' && passesThrough(outcome.error, passThrough)) {
          running.billed()
          throw passedThrough(deps, outcome.error, attempt, permit)
        }
        const isFine = stream !== undefined || this.#isPlainSuccess(outcome)
        let failed = isFine ? undefined : attemptFailure(outcome, deps.context(permit?.provider))
        if (!failed && !stream && softFailures)
          failed = noAnswer(outcome, () => deps.context(permit?.provider))
        const finish = stream ? stream.reader?.finish : finishOfReturned(outcome, failed, this.#options)
        if (finish) {
          const answer = { value: (outcome as { value: T }).value, running, stream, finish }
          const judged = await this.#afterFinish(answer, failed)
          if (judged.next) {
            next = judged.next
            startedMs = budget.elapsedMs
            continue
          }
          failed = judged.failed
        }
        if (!failed) return this.#succeeded((outcome as { value: T }).value, running, stream, finish)
        running.spentAtLeast(failed.failure)
        const isOutOfTime =
          outcome.ended === 'timedOut' && remainingMs <= Math.min(attemptTimeoutMs, firstChunkMs)
        const after = await this.#afterFailure(failed, running, next.resume, isOutOfTime)
        if (after === 'kept') return this.#deliverKept()
        // A policy gave the result: return it as if the work had.
        if (isSucceeded(after)) return callSucceeded(deps, after.succeeded as T, attempt, budget.elapsedMs)
        next = after
        startedMs = budget.elapsedMs
      }
    } finally {
      if (this.#kept) this.#dropKept()
    }
  }

  /** Resolves with the value; a stream stays watched. */
  #succeeded(
    value: T,
    running: Try<T>,
    stream: StreamWatch | undefined,
    finish: Finish | undefined,
  ): CallResult<T> {
    const { attempt, permit, startedMs } = running
    this.#dropKept()
    if (stream) permit?.answering?.()
    else {
      permit?.succeeded(attempt, value)
      running.billed()
    }
    const durationMs = startedMs + attempt.durationMs
    const result = callSucceeded(this.#deps, value, attempt, durationMs, finish, stream !== undefined)
    if (stream) handOut(result, running, stream, this.#deps)
    return result
  }

  /** What becomes of a complete answer that is cut or filtered: the result, a failure, or a reason to ask somebody else. */
  async #afterFinish(
    answer: Kept<T>,
    failed: AttemptFailure | undefined,
  ): Promise<{ failed?: AttemptFailure; next?: Next }> {
    const { finish = 'deliver' } = this.#options
    const { running, stream } = answer
    const { attempt, permit } = running
    const read = () => failed ?? finishFailure(answer, this.#deps.context(permit?.provider))
    if (finish === 'strict') return stream ? {} : { failed: read() }
    if (!permit || stream?.chunks || !failsOver(answer.finish, finish)) return {}
    if (stream) running.used(stream.reader?.used ?? {})
    // It is paid for; the next one would cost more than the call may.
    if (this.#deps.budget.isSpent) return {}
    const { failure } = read()
    this.#gate.failed(permit.provider)
    if (!(await this.#gate.outlook(failure)).otherProviderAvailable) return {}
    attempt.failure = failure
    if (!stream) {
      permit.succeeded(attempt, answer.value)
      running.billed()
    }
    // It is no better than the one that is kept.
    if (this.#kept) this.#drop(answer)
    else this.#kept = answer
    const reason = `${failure.kind}: the answer was ${inWords(answer.finish)}, and another provider may answer`
    attempt.verdict = { action: 'failover', reason, rule: `call:${answer.finish.as}` }
    this.#deps.events?.failed(attempt, failure, attempt.verdict, undefined)
    return { next: { after: failure } }
  }

  /** A stream that was cut while others were asked, because the budget is over, could not be read. */
  get #canDeliverKept(): boolean {
    return this.#kept !== undefined && this.#kept.stream?.end?.how !== 'cut'
  }

  /** Nobody answered better: an answer that is paid for is better than none. */
  #deliverKept(): CallResult<T> {
    const { value, running, stream, finish } = this.#kept as Kept<T>
    this.#kept = undefined
    const { elapsedMs } = this.#deps.budget
    const isStream = stream !== undefined
    const result = callSucceeded(this.#deps, value, running.attempt, elapsedMs, finish, isStream)
    if (stream) handOut(result, running, stream, this.#deps)
    return result
  }

  /** Somebody answered better, or the call ends otherwise. */
  #dropKept(): void {
    const kept = this.#kept
    this.#kept = undefined
    if (kept) this.#drop(kept)
  }

  /** An answer that is not taken. What it used is paid for all the same; one that is no stream is settled already. */
  #drop({ running, stream }: Kept<T>): void {
    if (!stream) return
    stream.cancelled()
    running.abort(new Error('its answer was not taken'))
    running.used(stream.reader?.used ?? {})
    running.note()
    running.permit?.succeeded(running.attempt)
    running.billed()
  }

  /** @param isOutOfTime true if the budget ended the try, which then says nothing about why the call fails */
  async #afterFailure(
    { failure: read, cause: ofTry }: AttemptFailure,
    running: Try<T>,
    resumed: Resume | undefined,
    isOutOfTime: boolean,
  ): Promise<Next | Succeeded | 'kept'> {
    const { attempt, permit } = running
    const { atomic = false, resumable = false } = this.#options
    const { judge, circumstances, events, log } = this.#deps
    const whole = withEffectOfCall(read, running, this.#options, circumstances.isCommitted, resumed)
    attempt.failure = whole.failure
    running.billed()
    if (!isOutOfTime) {
      log.known = { failure: whole.failure, cause: ofTry }
      circumstances.tried(attempt.durationMs, whole.failure)
    }
    // The last try ran out of time: the call fails for the reason of the one before.
    const { cause = ofTry, failure: known = whole.failure } = log.known ?? {}
    const failure = withWhatWasDone(known, whole.failure)
    if (permit) this.#gate.failed(permit.provider)
    const livesWith = livesInSession(failure, { resumable }) ? permit?.provider : undefined
    let refused: RefusedRepeat | undefined
    const decided = await afterFailure(
      { failure: whole.failure, seen: failure, permit, cost: attempt },
      {
        judge,
        mayRetry: provider => this.#gate.mayRetry(provider),
        outlook: () => (permit ? this.#gate.outlook(failure, livesWith) : NO_OTHER_PROVIDER),
        remedied: verdict => {
          refused = refusedRepeat(verdict, whole.isLifted && !atomic)
          return withRemedies(verdict, refused?.remedies ?? [])
        },
      },
    )
    if (isSucceeded(decided)) {
      events?.answered(attempt, failure, decided)
      return decided
    }
    const { verdict } = decided
    attempt.verdict = verdict
    events?.failed(attempt, failure, verdict, refused)
    if (
      this.#canDeliverKept &&
      failure.class !== 'aborted' &&
      verdict.action !== 'failover' &&
      verdict.action !== 'retry'
    )
      return 'kept'
    if (decided.boundBy === 'cost' && verdict.action === 'cancel')
      throw callStopped(this.#deps, cause, { rail: 'max_budget' })
    if (verdict.action !== 'failover' && verdict.action !== 'retry')
      throw callFailed(this.#deps, failure, verdict, cause, refused)
    freeBody(cause)
    if (verdict.action === 'failover') return { after: failure }
    circumstances.retries++
    const { sessionId } = failure
    const resume = verdict.mode === 'resume' && sessionId !== undefined ? { sessionId, failure } : undefined
    // A session can be continued only where it is; no other provider may repeat what it may have done.
    const isBound = resume !== undefined && failure.effect !== 'none'
    const next = { again: permit?.provider, after: failure, resume, isBound, waitedMs: verdict.delayMs }
    // A limit may end earlier than expected; after any other failure the wait itself is the point.
    await this.#wait(verdict, failure.class === 'throttle' ? next : undefined)
    return next
  }

  /** If a retry's provider no longer admits it, sends it to another that does, rather than wait. */
  async #afterRefusal({ failure, availableAt }: Refused, next: Next): Promise<Next> {
    const { again, after, isBound } = next
    const mayMove = again !== undefined && after !== undefined && !isBound
    if (mayMove && (await this.#gate.outlook(after)).otherProviderAvailable) return { after }
    // No try was made, so none counts. The only thing left is to wait for the block to end.
    const { judge, circumstances } = this.#deps
    const verdict = judge.verdict(failure, circumstances.unadmitted(availableAt))
    if (verdict.action !== 'retry') throw callFailed(this.#deps, failure, verdict, undefined)
    circumstances.admissionWaits++
    await this.#wait(verdict, next)
    return next
  }

  /** @param next where the call goes then, if it need not wait any longer once it is admitted there */
  async #wait({ delayMs, reason }: Extract<Verdict, { action: 'retry' }>, next?: Next): Promise<void> {
    const { options, time, events } = this.#deps
    events?.waiting(delayMs, reason)
    try {
      await (next ? this.#gate.wait(next, delayMs) : sleep(time, delayMs, options.signal))
    } catch (abortReason) {
      throw callStopped(this.#deps, abortReason, { aborted: true })
    }
  }

  /** The caller's classifier also sees returned values, unless `softFailures` is off. */
  #isPlainSuccess(outcome: Outcome): boolean {
    const { classifier, softFailures = true } = this.#options
    return (!classifier || !softFailures) && isPlainSuccess(outcome, softFailures)
  }
}
