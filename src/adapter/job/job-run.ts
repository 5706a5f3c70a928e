import { isPlainSuccess } from '../../call/attempt/failure.ts'
import { Invocation } from '../../call/attempt/invocation.ts'
import { NO_OTHER_PROVIDER } from '../../call/attempt/judge.ts'
import type { Outcome } from '../../call/attempt/outcome.ts'
import { isCallFailed } from '../../call/call-failed.ts'
import { checkParams } from '../../capability/check-params.ts'
import { ParamsError } from '../../capability/error.ts'
import { askFailure, askResult, isFailed } from '../../capability/hooks.ts'
import { partlyVerified } from '../../capability/partly-verified.ts'
import { verify } from '../../capability/verify.ts'
import { failureOfWholeTry, withRemedyFor } from '../../capability/whole-try.ts'
import { isGivingUp, timeoutOf, WORK_GRACE_DEFAULT_MS, workFailure } from '../../capability/work.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { KnownFailure } from '../../failure/known-failure.ts'
import type { Outlook } from '../../provider/gate.ts'
import { askAgainAfterMs } from '../../queue/run/verification.ts'
import { isSucceeded } from '../../verdict/succeeded.ts'
import { mayStartOver } from '../../verdict/try-again.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { EngineJob, Performed } from './engine-job.ts'
import { JobScope } from './job-scope.ts'
import { lostWorkerFailure } from './lost-worker.ts'
import { asObject } from './record.ts'
import { JobWorkContext } from './work-context.ts'
import type { JobWorker } from './worker.ts'

/** One start of a job by its engine: what was left open before, the try, what is decided about it. */
export class JobRun<D, R> {
  readonly #worker: JobWorker<D, R>
  readonly #job: EngineJob
  readonly #scope: JobScope<D, R>

  constructor(worker: JobWorker<D, R>, job: EngineJob) {
    this.#worker = worker
    this.#job = job
    this.#scope = new JobScope(worker, job)
  }

  /** Never rejects. A success passes through few promises: most jobs are one, and pay for each. */
  async perform(): Promise<Performed> {
    const scope = this.#scope
    const { pausedUntil } = this.#worker
    if (pausedUntil > 0) return scope.held(pausedUntil, 'a limit of its provider has not lifted yet')
    scope.begin()
    const lost = scope.lostStarts
    if (lost > 0) return this.#decided(lostWorkerFailure(lost, this.#worker.provider), undefined, true)
    const read = this.#read()
    const params = read instanceof Promise ? await read : read
    if ('failure' in params) return this.#decided(params.failure)
    scope.params = params.data
    if (scope.isOpen) {
      const before = await this.#beforeWork(params.data)
      if (before) return before
    }
    const outcome = await this.#invoke(params.data)
    scope.outcome = outcome
    if (outcome.ended === 'aborted' && this.#job.abortMeans === 'stop') return this.#stopped(outcome)
    const failure = isPlainSuccess(outcome, true) ? undefined : workFailure(asKnown(outcome), scope.about)
    if (failure) return this.#failed(failure, outcome)
    const { value } = outcome as { value: R }
    const { capability } = this.#worker
    const isAsked = capability.handleResult !== undefined || partlyVerified(capability, value) !== undefined
    return isAsked ? this.#returned(value) : scope.succeed(value)
  }

  /** The data as the work gets it, or the failure of data that does not fit. */
  #read(): Read<D> | Promise<Read<D>> {
    const data = this.#worker.dataOf(this.#job.data)
    if (asObject(data) === undefined)
      return { failure: this.#invalid(['it must be an object, because counters are kept beside it']) }
    if (!this.#worker.hasSchema) return { data: data as D }
    const checked = checkParams(this.#worker.capability, data)
    const readAs = (result: Awaited<typeof checked>): Read<D> =>
      result.fits ? { data: result.params } : { failure: this.#invalid(result.problems) }
    return checked instanceof Promise ? checked.then(readAs) : readAs(checked)
  }

  /** Names what is wrong, never the values: prompts do not belong in a list of errors. */
  #invalid(problems: readonly string[]): Failure {
    return classify(new ParamsError(`invalid data: ${problems.join('; ')}`), this.#scope.about) as Failure
  }

  /** Work that may have taken effect does not start over before that is known. */
  async #beforeWork(params: D): Promise<Performed | undefined> {
    const scope = this.#scope
    const { maybeDoneAt = 0, snoozes } = scope.record
    const { capability, time, bounds } = this.#worker
    if (capability.retry === 'none') return scope.settle(this.#unverifiable('it must not run twice'))
    const notBefore = maybeDoneAt + (capability.verification?.delayMs ?? 0)
    if (time.now() < notBefore)
      return scope.held(notBefore, 'it is too early to ask whether its effect is there')
    const verified = await verify(capability, params, scope.verifyContext, { time })
    if (verified.state === 'done') return scope.succeed('value' in verified ? verified.value : undefined)
    if (verified.state === 'absent') {
      scope.isAbsent()
      return undefined
    }
    if (snoozes >= bounds.maxSnoozes)
      return scope.settle(this.#unverifiable(`asked ${snoozes} times, and still: ${verified.reason}`))
    const snooze: Verdict = {
      action: 'snooze',
      until: time.now() + askAgainAfterMs(snoozes),
      mode: 'again',
      reason: `unsure whether its effect is there: ${verified.reason}`,
      rule: 'job:unsure',
    }
    const { judge } = scope
    return scope.settle(judge.bounded(snooze, undefined, judge.circumstances()).verdict)
  }

  #unverifiable(why: string): Verdict {
    const reason = `it may already have taken effect: ${why}`
    return withRemedyFor(this.#worker.capability, {
      action: 'cancel',
      as: 'unverifiable',
      reason,
      rule: 'job:unverifiable',
    })
  }

  /** Runs the work once. Never rejects. */
  #invoke(params: D): Promise<Outcome<R>> {
    const { capability, time } = this.#worker
    const { timeoutMs } = capability
    const limitMs =
      timeoutMs === undefined
        ? Infinity
        : timeoutOf(capability, params, problem => this.#worker.report('timeoutMs', problem))
    const { signal } = this.#job
    const invocation = new Invocation<R>({
      time,
      limitMs,
      signal,
      graceMs: WORK_GRACE_DEFAULT_MS,
      isGivingUp,
    })
    const context = new JobWorkContext(this.#scope, this.#job, invocation, limitMs)
    return invocation.run(given => this.#worker.work(params, given), context)
  }

  /** A value that is no failure: a success, unless the worker or the value itself says otherwise. */
  async #returned(value: R): Promise<Performed> {
    const scope = this.#scope
    const { capability } = this.#worker
    const { judge } = scope
    const circumstances = judge.circumstances()
    const answer = await askResult(capability, value, scope.hookContext(circumstances), scope.tools)
    if (answer === undefined) return scope.succeed(value)
    if (isSucceeded(answer)) return scope.succeed(answer.succeeded)
    if (isFailed(answer)) {
      const refused = new Error('its result was refused')
      const failure = classify(answer.failed, scope.about) ?? (classify(refused, scope.about) as Failure)
      return this.#failed(failure, scope.outcome as Outcome)
    }
    const { verdict } = judge.bounded(answer, undefined, circumstances)
    return scope.settle(withRemedyFor(capability, verdict))
  }

  #failed(failure: Failure, outcome: Outcome): Promise<Performed> {
    const { capability } = this.#worker
    const whole = failureOfWholeTry(capability, outcome, failure, this.#scope.isCommitted)
    const isLifted = failure.effect === 'none' && whole.effect !== 'none'
    return this.#decided(whole, outcome, false, isLifted)
  }

  /** The policies decide, then the hook, both within the bounds of the job. */
  async #decided(failure: Failure, outcome?: Outcome, isLost = false, isLifted = false): Promise<Performed> {
    const scope = this.#scope
    const { judge } = scope
    const { capability } = this.#worker
    const outlook = outlookOf(outcome)
    const seen = scope.lifted(failure)
    const answer = judge.answer(seen, outlook)
    if (isSucceeded(answer)) return scope.succeed(answer.succeeded)
    const circumstances = judge.circumstances(outlook)
    const hookContext = scope.hookContext(circumstances, failure.provider)
    const changed = await askFailure(capability, failure, answer, hookContext, scope.tools)
    if (isSucceeded(changed)) return scope.succeed(changed.succeeded)
    const verdict = changed ? judge.bounded(changed, seen, circumstances).verdict : answer
    return scope.settle(
      withRemedyFor(capability, unparked(verdict, failure), isLifted),
      failure,
      isLost,
      causeOf(outcome),
    )
  }

  /** The worker stops and another one goes on, if the work may start over. */
  async #stopped(outcome: Outcome): Promise<Performed> {
    const scope = this.#scope
    const { capability, bounds } = this.#worker
    const failure = workFailure(outcome, scope.about) as Failure
    const { effect } = failureOfWholeTry(capability, outcome, failure, scope.isCommitted)
    const circumstances = {
      repeatable: bounds.retry === 'replay',
      verifiable: bounds.retry === 'verify_first',
    }
    if (!mayStartOver(effect, circumstances))
      return scope.settle(this.#unverifiable('its worker stopped in the middle of it'), {
        ...failure,
        effect,
      })
    return scope.released('its worker stopped', effect !== 'none')
  }
}

type Read<D> = { data: D } | { failure: Failure }

/** No engine waits for a label: what nobody knows is not run again, unless a person retries it. */
function unparked(verdict: Verdict, { kind }: Failure): Verdict {
  if (verdict.action !== 'park' || verdict.for !== 'label') return verdict
  const reason = `${kind}: not classified, so it is not run again`
  return { action: 'cancel', as: 'refused', reason, rule: verdict.rule }
}

/** A call within the work has classified its failure where all the evidence was. */
function asKnown(outcome: Outcome): Outcome {
  return outcome.ended === 'threw' && isCallFailed(outcome.error)
    ? { ended: 'threw', error: new KnownFailure(outcome.error.failure, outcome.error) }
    : outcome
}

/** Such a call also knows when a provider of its pool admits again. */
function outlookOf(outcome: Outcome | undefined): Outlook {
  const error = outcome?.ended === 'threw' ? outcome.error : undefined
  if (!isCallFailed(error) || error.verdict.action !== 'snooze') return NO_OTHER_PROVIDER
  return { ...NO_OTHER_PROVIDER, availableAt: error.verdict.until }
}

function causeOf(outcome: Outcome | undefined): unknown {
  return outcome && 'error' in outcome ? outcome.error : undefined
}
