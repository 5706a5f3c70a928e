import type { ClassifierProblem } from '../failure/classifier.ts'
import type { ClassifyContext } from '../failure/context.ts'
import type { Failure } from '../failure/failure.ts'
import type { Choice, Gate, Outlook, Permit } from '../provider/gate.ts'
import { Health } from '../provider/health.ts'
import { realTime, sleep, type Time } from '../time/time.ts'
import { type TryFacts, withEffectOfTry, withRemedy } from '../verdict/effect-of-try.ts'
import { isSucceeded, type Succeeded } from '../verdict/succeeded.ts'
import { retryMode } from '../verdict/try-again.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Attempt } from './attempt.ts'
import { Budget } from './budget.ts'
import { CallFailed } from './call-failed.ts'
import { checkOptions, checkWork } from './check-options.ts'
import { Emitter } from './emitter.ts'
import { inTime } from './in-time.ts'
import { Judge } from './judge.ts'
import type { CallOptions } from './options.ts'
import { passesThrough } from './pass-through.ts'
import { health } from './process-health.ts'
import { Question } from './question.ts'
import { remedyOf } from './remedy.ts'
import { type Begun, beginStream } from './stream/begin.ts'
import { streamFailure, streamVerdict } from './stream/failure.ts'
import { isStream } from './stream/returned.ts'
import type { StreamEnd, StreamWatch, WatchSettings } from './stream/watch.ts'
import { type CallFunction, type Resume, Try, type TryOutcome, timeoutError } from './try.ts'
import { isPlainSuccess, stopped, type TryFailure, thrown, tryFailure } from './try-failure.ts'
import { warnOfPolicy } from './warn.ts'

/** What a call that succeeded gives. */
export interface CallResult<T> {
  value: T
  /** Every try, the one that succeeded last. */
  attempts: readonly Attempt[]
  provider?: string
  /** What all tries cost together; null where nobody said. */
  costUsd: number | null
}

const NONE_TRIED: ReadonlySet<string> = new Set()
const NOBODY_PASSED_OVER: Choice['passedOver'] = []

/**
 * Runs work until it succeeds or one answer is final, within one budget: retries, waits, and the next provider of
 * the pool, as the policy says. Resolves with the value and every try, or rejects with {@link CallFailed}.
 */
export function call<T>(work: CallFunction<T>, options: CallOptions = {}): Promise<CallResult<T>> {
  // Not async itself: every layer of promises is paid for by every call.
  try {
    checkWork(work)
    checkOptions(options)
    return new Call(work, options).run()
  } catch (error) {
    return Promise.reject(error)
  }
}

/** Where the next try goes: back to a provider after a retry, elsewhere after a failover, to anybody at first. */
interface Next {
  again?: string | undefined
  after?: Failure | undefined
  /** The session that the next try continues. */
  resume?: Resume | undefined
}

/** Who serves a stream that was handed out. */
interface Serving<T> {
  attempt: Attempt
  permit: Permit | undefined
  running: Try<T>
  /** Of the budget, when its try began. */
  startedMs: number
}

/** Gives back the leave of a stream that nobody read to its end, and nobody can read any more. */
const abandoned = new FinalizationRegistry<Permit>(permit => permit.released())

type Refused = Extract<Choice, { permit?: undefined }>

const FROM_THE_START: Next = {}

class Call<T> {
  readonly #work: CallFunction<T>
  readonly #options: CallOptions
  readonly #time: Time
  readonly #gate: Gate
  readonly #pool: readonly string[]
  readonly #budget: Budget
  readonly #emitter: Emitter | undefined
  #attempts: readonly Attempt[] = []
  #judgeMade: Judge | undefined
  #tried: ReadonlySet<string> = NONE_TRIED
  #isCommitted = false
  /** Monotonic milliseconds at which nobody admitted it first. */
  #waitingSince: number | undefined

  constructor(work: CallFunction<T>, options: CallOptions) {
    this.#work = work
    this.#options = options
    this.#time = options.time ?? realTime
    this.#gate = options.gate ?? (options.time ? new Health({ time: options.time }) : health)
    this.#pool = options.pool ?? (options.provider === undefined ? [] : [options.provider])
    this.#budget = new Budget(this.#time, options)
    this.#emitter = Emitter.for(options, this.#time)
  }

  async run(): Promise<CallResult<T>> {
    let next = FROM_THE_START
    for (;;) {
      this.#checkAborted()
      const chosen = this.#pool.length > 0 ? this.#choose(next) : undefined
      const choice = chosen instanceof Promise ? await chosen : chosen
      if (choice && !choice.permit) {
        next = await this.#afterRefusal(choice, next)
        continue
      }
      const permit = choice?.permit
      const elapsedMs = this.#budget.elapsedMs
      const remainingMs = this.#budget.remainingAfter(elapsedMs)
      if (remainingMs === 0) throw this.#outOfTime(permit)
      if (next.after && next.again === undefined && permit)
        this.#emitter?.failedOver(this.#attempts.at(-1)?.provider, permit.provider, next.after)
      const attempt = this.#begin(permit?.provider, choice?.passedOver ?? NOBODY_PASSED_OVER, remainingMs)
      const running = this.#try(attempt, permit, next.resume, remainingMs)
      let outcome = await (this.#emitter
        ? this.#emitter.within(running, this.#work)
        : running.run(this.#work))
      let stream: StreamWatch | undefined
      if (outcome.ended === 'returned' && isStream(outcome.value))
        ({ outcome, watch: stream } = await this.#beginStream(outcome.value, running))
      this.#note(attempt, running, elapsedMs)
      if (outcome.ended === 'threw' && passesThrough(outcome.error, this.#options.passThrough))
        throw this.#passed(outcome.error, attempt, permit)
      const failed =
        stream || this.#isPlainSuccess(outcome)
          ? undefined
          : tryFailure(outcome, this.#context(permit?.provider))
      if (!failed) {
        const { value } = outcome as { value: T }
        if (stream) return this.#handOut(value, stream, { attempt, permit, running, startedMs: elapsedMs })
        permit?.succeeded(attempt, value)
        return this.#succeeded(value, permit?.provider, elapsedMs + attempt.durationMs)
      }
      const whole = withEffectOfTry(failed.failure, this.#wholeTry(running))
      const isLifted = whole.effect !== failed.failure.effect
      const failure = this.#withPast(whole, next.resume)
      const after = await this.#afterFailure({ failure, cause: failed.cause }, attempt, permit, isLifted)
      // A policy knows its result: it is given as if the work had returned it.
      if (isSucceeded(after))
        return this.#succeeded(after.succeeded as T, permit?.provider, this.#budget.elapsedMs)
      next = after
    }
  }

  #beginStream(value: T & object, running: Try<T>): Promise<Begun<T>> {
    const { signal, firstChunkMs, idleMs, softFailures } = this.#options
    const settings: WatchSettings = {
      time: this.#time,
      budget: this.#budget,
      signal,
      firstChunkMs,
      idleMs,
      abort: reason => running.abort(reason),
    }
    return beginStream<T & object>(value, settings, softFailures !== false)
  }

  /** Resolves with a stream that stays under watch: its end is told to health, not that it has begun. */
  #handOut(value: T, stream: StreamWatch, serving: Serving<T>): CallResult<T> {
    const { attempt, permit, running, startedMs } = serving
    const result = this.#succeeded(value, permit?.provider, startedMs + attempt.durationMs)
    const over = (end: StreamEnd): unknown => {
      this.#note(attempt, running, startedMs)
      const error = end.how === 'cut' ? this.#streamCut(end, serving) : undefined
      if (end.how === 'ended' || (end.how === 'cancelled' && stream.chunks > 0)) permit?.succeeded(attempt)
      else if (end.how === 'cancelled') permit?.released(attempt)
      const { costUsd, elapsedMs } = this.#budget
      result.costUsd = costUsd
      const outcome = end.how === 'cut' ? 'failed' : end.how
      this.#emitter?.streamEnded(attempt, outcome, stream.chunks, elapsedMs, costUsd, error)
      return error
    }
    running.onOverspent = error => stream.cut('cost', error)
    if (stream.end) over(stream.end)
    else stream.onOver = over
    permit?.observed?.(value)
    if (permit && !stream.end) abandoned.register(value as object, permit)
    return result
  }

  /** What the reader of a stream gets when it is cut; whose fault it was is told to health. */
  #streamCut(end: StreamEnd & { how: 'cut' }, { attempt, permit }: Serving<T>): unknown {
    const { cause, chunks } = end
    if (end.by === 'source' && passesThrough(cause, this.#options.passThrough)) {
      permit?.released(attempt)
      return cause
    }
    const failure = streamFailure(end, this.#context(permit?.provider))
    // One that delivered until the budget was over did nothing wrong.
    if (end.by === 'budget' && chunks > 0) permit?.released(attempt)
    else if (permit) this.#record(failure, permit, attempt)
    this.#isCommitted = true
    const verdict = streamVerdict(this.#judge.verdict(failure), failure, chunks)
    attempt.failure = failure
    attempt.verdict = verdict
    const { costUsd } = this.#budget
    return new CallFailed({ failure, verdict, attempts: this.#attempts, costUsd }, cause)
  }

  /** Nothing failed: the provider is left as it was, and the error goes on untouched. */
  #passed(error: unknown, attempt: Attempt, permit: Permit | undefined): unknown {
    permit?.released(attempt)
    const { costUsd, elapsedMs } = this.#budget
    this.#emitter?.passed(error, this.#attempts.length, permit?.provider, elapsedMs, costUsd)
    return error
  }

  #checkAborted(): void {
    const { signal } = this.#options
    if (signal?.aborted) throw this.#stopped(signal.reason, { aborted: true })
  }

  /** The gate's answer: at once if it has one, and not waited for longer than the call may take. */
  #choose({ again, after }: Next): Choice | Promise<Choice> {
    const question = new Question(this.#pool, this.#options, this.#tried, again, after, this.#waitingSince)
    try {
      const choice = this.#gate.choose(question)
      return choice instanceof Promise ? this.#awaited(choice, question) : choice
    } catch (error) {
      throw this.#gateFailed(error)
    }
  }

  /** Timers may be late: a try that has no time left could only be paid for. */
  #outOfTime(permit: Permit | undefined): CallFailed {
    permit?.released()
    return this.#stopped(timeoutError(this.#budget.elapsedMs), { timedOut: true })
  }

  #begin(provider: string | undefined, passedOver: Choice['passedOver'], remainingMs: number): Attempt {
    const number = this.#attempts.length + 1
    const attempt: Attempt = {
      number,
      startedAt: this.#time.now(),
      durationMs: 0,
      costUsd: null,
      tokens: null,
    }
    if (provider !== undefined) attempt.provider = provider
    // An empty list that something is pushed to gets room for many; nearly every call makes one try.
    this.#attempts = number === 1 ? [attempt] : [...this.#attempts, attempt]
    this.#emitter?.attemptStarted(attempt, remainingMs, passedOver)
    return attempt
  }

  #try(
    attempt: Attempt,
    permit: Permit | undefined,
    resume: Resume | undefined,
    remainingMs: number,
  ): Try<T> {
    return new Try<T>({
      time: this.#time,
      budget: this.#budget,
      provider: attempt.provider,
      permit,
      attempt: attempt.number,
      remainingMs,
      limitMs: Math.min(this.#options.attemptTimeoutMs ?? Infinity, remainingMs),
      graceMs: this.#options.graceMs ?? 0,
      resume,
      signal: this.#options.signal,
    })
  }

  #note(attempt: Attempt, { costUsd, tokens, isCommitted }: Try<T>, startedMs: number): void {
    attempt.durationMs = this.#budget.elapsedMs - startedMs
    attempt.costUsd = costUsd
    attempt.tokens = tokens
    this.#isCommitted ||= isCommitted
  }

  /** @param isLifted earlier steps of the work may have taken effect, although its last request was refused */
  async #afterFailure(
    { failure, cause }: TryFailure,
    attempt: Attempt,
    permit: Permit | undefined,
    isLifted: boolean,
  ): Promise<Next | Succeeded> {
    attempt.failure = failure
    if (permit) this.#record(failure, permit, attempt)
    const isContinued = retryMode(failure, { resumable: this.#options.resumable ?? false }) === 'resume'
    const outlook = permit && (await this.#outlook(failure, isContinued ? permit.provider : undefined))
    const judged = this.#judge.answer(failure, outlook, permit && (() => this.#mayRetry(permit.provider)))
    if (isSucceeded(judged)) {
      this.#emitter?.attemptAnswered(attempt, failure, judged)
      return judged
    }
    const verdict = withRemedy(judged, remedyOf(isLifted && !this.#options.atomic))
    attempt.verdict = verdict
    this.#emitter?.attemptFailed(attempt, failure, verdict)
    if (verdict.action === 'failover') return { after: failure }
    if (verdict.rule === 'call:stopped') throw this.#stopped(cause, { rail: 'max_budget' })
    if (verdict.action !== 'retry') throw this.#failed(failure, verdict, cause)
    this.#judge.retries++
    await this.#wait(verdict)
    const { sessionId } = failure
    const resume = verdict.mode === 'resume' && sessionId !== undefined ? { sessionId, failure } : undefined
    return { again: permit?.provider, after: failure, resume }
  }

  /** What the provider did is told to its health; what we or the caller did is not its fault. */
  #record(failure: Failure, permit: Permit, cost: Attempt): void {
    this.#tried = new Set([...this.#tried, permit.provider])
    if (failure.class === 'aborted' || failure.class === 'rail') permit.released(cost)
    else permit.failed(failure, this.#judge.health(failure, permit.standing?.(failure)), cost)
  }

  /** @param again who alone can go on, where a session lives there */
  #outlook(after: Failure, again?: string): Outlook | Promise<Outlook> {
    const question = new Question(this.#pool, this.#options, this.#tried, again, after, undefined)
    try {
      const outlook = this.#gate.outlook(question)
      return outlook instanceof Promise ? this.#awaited(outlook, question) : outlook
    } catch (error) {
      throw this.#gateFailed(error)
    }
  }

  #mayRetry(provider: string): string | undefined {
    return this.#gate.mayRetry(provider)
      ? undefined
      : `most calls to ${provider} fail, so none is retried now`
  }

  /** A retry whose provider no longer admits it goes to another that does, rather than wait for the first. */
  async #afterRefusal(choice: Refused, next: Next): Promise<Next> {
    const { again, after } = next
    // A session can only be continued where it is; nobody else may begin what it may have done.
    const mayMove = again !== undefined && after !== undefined && next.resume === undefined
    if (mayMove && (await this.#outlook(after)).otherProviderAvailable) return { after }
    await this.#waitForAdmission(choice)
    return next
  }

  /** Nobody admitted: no try was made and none counts. Waiting for the block to end is all there is to do. */
  async #waitForAdmission({ failure, availableAt }: Refused): Promise<void> {
    const verdict = this.#judge.unadmitted(failure, {
      otherProviderAvailable: false,
      ...(availableAt === undefined ? {} : { availableAt }),
    })
    if (verdict.action !== 'retry') throw this.#failed(failure, verdict, undefined)
    this.#waitingSince ??= this.#time.monotonic()
    this.#judge.admissionWaits++
    await this.#wait(verdict)
  }

  async #wait({ delayMs, reason }: Extract<Verdict, { action: 'retry' }>): Promise<void> {
    this.#emitter?.waiting(delayMs, reason)
    const { signal } = this.#options
    try {
      await sleep(this.#time, delayMs, signal)
    } catch (abortReason) {
      throw this.#stopped(abortReason, { aborted: true })
    }
  }

  /** A promised answer; a permit that comes when nobody waits for it any more goes back. */
  async #awaited<A extends Choice | Outlook>(answer: Promise<A>, question: Question): Promise<A> {
    const { signal } = this.#options
    const giveBack = (late: Choice | Outlook) => {
      if ('permit' in late) late.permit?.released()
    }
    const outcome = await inTime(answer, this.#time, this.#budget.remainingMs, signal, giveBack)
    if ('value' in outcome) return outcome.value
    if ('error' in outcome) throw this.#gateFailed(outcome.error)
    question.withdraw()
    throw signal?.aborted
      ? this.#stopped(signal.reason, { aborted: true })
      : this.#stopped(timeoutError(this.#budget.elapsedMs), { timedOut: true })
  }

  /** Without health nobody knows whom to ask; what the gate threw is classified so that the reader knows why. */
  #gateFailed(cause: unknown): CallFailed {
    const reason = 'the health of the providers could not be asked'
    return this.#failed(
      thrown(cause, this.#context()),
      { action: 'cancel', as: 'refused', reason, rule: 'call:gate' },
      cause,
    )
  }

  /** Made when something fails: a call that succeeds needs no verdict. */
  get #judge(): Judge {
    this.#judgeMade ??= new Judge(this.#options, this.#time, this.#budget)
    this.#judgeMade.isCommitted = this.#isCommitted
    return this.#judgeMade
  }

  /** A classifier of the caller sees returned values too, unless none of them is to count as a failure. */
  #isPlainSuccess(outcome: TryOutcome<unknown>): boolean {
    const { classifier, softFailures = true } = this.#options
    return (!classifier || !softFailures) && isPlainSuccess(outcome, softFailures)
  }

  #context(provider?: string): ClassifyContext {
    const { classifier } = this.#options
    return {
      ...this.#options.classify,
      ...(classifier ? { classifier, onClassifierProblem: problem => this.#tellOfClassifier(problem) } : {}),
      now: this.#time.now(),
      ...(provider === undefined ? {} : { provider }),
      ...(this.#options.model === undefined ? {} : { model: this.#options.model }),
    }
  }

  #tellOfClassifier({ classifier, problem }: ClassifierProblem): void {
    const { onPolicyProblem = warnOfPolicy } = this.#options
    onPolicyProblem({ policy: classifier, member: 'classifier', problem })
  }

  /** A try that did nothing undoes nothing: neither what was delivered, nor the session that it was to continue. */
  #withPast(failure: Failure, resume: Resume | undefined): Failure {
    if (failure.effect !== 'none' || (!this.#isCommitted && !resume)) return failure
    const session = resume && failure.sessionId === undefined ? { sessionId: resume.sessionId } : {}
    return { ...failure, effect: 'maybe', ...session }
  }

  #wholeTry({ isBegun, isCommitted }: Try<T>): TryFacts {
    const { repeatable = true, atomic = false } = this.#options
    return { isBegun, repeatable, isOneRequest: atomic && !isCommitted }
  }

  /** Stopped between two tries, or before the first: what was done is what the tries before it did. */
  #stopped(cause: unknown, own: NonNullable<ClassifyContext['own']>): CallFailed {
    const isUntouched = this.#attempts.every(attempt => attempt.failure?.effect === 'none')
    const sessionId = this.#attempts.at(-1)?.failure?.sessionId
    const failure: Failure = {
      ...stopped(cause, this.#context(), own),
      effect: isUntouched ? 'none' : 'maybe',
      ...(sessionId === undefined ? {} : { sessionId }),
    }
    return this.#failed(failure, this.#judge.verdict(failure), cause)
  }

  #failed(failure: Failure, verdict: Verdict, cause: unknown): CallFailed {
    const { costUsd } = this.#budget
    const error = new CallFailed({ failure, verdict, attempts: this.#attempts, costUsd }, cause)
    this.#emitter?.failed(error, this.#attempts.at(-1)?.provider, this.#budget.elapsedMs)
    return error
  }

  #succeeded(value: T, provider: string | undefined, durationMs: number): CallResult<T> {
    const { costUsd } = this.#budget
    this.#emitter?.succeeded(this.#attempts.length, provider, durationMs, costUsd)
    return provider === undefined
      ? { value, attempts: this.#attempts, costUsd }
      : { value, attempts: this.#attempts, provider, costUsd }
  }
}
