import { afterFailure } from '../../call/attempt/after-failure.ts'
import { isPlainSuccess } from '../../call/attempt/failure.ts'
import { Invocation, type InvokedCode } from '../../call/attempt/invocation.ts'
import { NO_OTHER_PROVIDER } from '../../call/attempt/judge.ts'
import type { Outcome } from '../../call/attempt/outcome.ts'
import { availableAfter } from '../../call/call-failed.ts'
import { checkParams } from '../../capability/check-params.ts'
import { ParamsError } from '../../capability/error.ts'
import { askFailure, askResult, isFailed } from '../../capability/hooks.ts'
import { partlyVerified } from '../../capability/partly-verified.ts'
import { verify } from '../../capability/verify.ts'
import { failureOfWholeTry, withRemedyFor } from '../../capability/whole-try.ts'
import {
  isGivingUp,
  listenAfterTurn,
  timeoutOf,
  WORK_GRACE_DEFAULT_MS,
  workFailure,
} from '../../capability/work.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { present } from '../../failure/present.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { Choice, Outlook } from '../../provider/gate.ts'
import { askAgainAfterMs } from '../../queue/run/last-question.ts'
import { isLifted, mayStartOver } from '../../verdict/second-try.ts'
import { isSucceeded } from '../../verdict/succeeded.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { JobContext } from './context.ts'
import type { EngineJob, Performed } from './engine-job.ts'
import { JobScope } from './job-scope.ts'
import type { JobWork } from './job-work.ts'
import { lostWorkerFailure } from './lost-worker.ts'
import { asObject, type JobRecord } from './record.ts'
import { JobWorkContext } from './work-context.ts'

/** One start of a job by its engine: settles earlier tries, makes the try, decides on it. */
export class JobRun<D, R> implements InvokedCode<JobContext, R> {
  readonly #worker: JobWork<D, R>
  readonly #job: EngineJob
  readonly #scope: JobScope<D, R>
  /** Settles the promise of a try. */
  #settle: Pick<PromiseWithResolvers<Performed>, 'resolve' | 'reject'> | undefined

  /** @param record of the job; default its own */
  constructor(worker: JobWork<D, R>, job: EngineJob, record?: JobRecord) {
    this.#worker = worker
    this.#job = job
    this.#scope = new JobScope(worker, job, record)
  }

  /** The try that was made, for the ledger. */
  get tried(): NewAttempt | undefined {
    return this.#scope.tried
  }

  /** Never rejects. A success needs one promise only, because most jobs are one. */
  perform(): Promise<Performed> {
    const scope = this.#scope
    const lost = scope.lostStarts
    const { pausedUntil, link } = this.#worker
    // A lost start comes first: holding the job would count it as settled. A connected worker asks the shared health.
    if (pausedUntil > 0 && lost === 0 && !link)
      return Promise.resolve(scope.held(pausedUntil, "its provider's limit has not lifted yet"))
    scope.begin()
    if (lost > 0) return this.#decided(lostWorkerFailure(lost, this.#worker.provider), undefined, true)
    const read = this.#read()
    return read instanceof Promise ? read.then(given => this.#start(given)) : this.#start(read)
  }

  #start(read: Read<D>): Promise<Performed> {
    if ('failure' in read) return this.#decided(read.failure)
    const scope = this.#scope
    scope.params = read.data
    return scope.isOpen ? this.#afterCheck(read.data) : this.#try(read.data)
  }

  async #afterCheck(params: D): Promise<Performed> {
    return (await this.#beforeWork(params)) ?? this.#try(params)
  }

  /** Asks the shared health first, if there is one. */
  #try(params: D): Promise<Performed> {
    const { link, provider } = this.#worker
    if (!link || provider === undefined) return this.#tryNow(params)
    const { signal } = this.#job
    const request = { pool: [provider], tried: NONE_TRIED, waitMs: LONGEST_TURN_MS, signal }
    try {
      const choice = link.health.choose(request)
      if (!(choice instanceof Promise)) return this.#admitted(choice, params)
      // An aborted signal ends the wait; the work sees it too.
      return choice.then(
        chosen => this.#admitted(chosen, params),
        () => this.#tryNow(params),
      )
    } catch {
      return this.#tryNow(params)
    }
  }

  #admitted(choice: Choice, params: D): Promise<Performed> {
    if (!choice.permit) return this.#refused(choice)
    this.#scope.permit = choice.permit
    return this.#tryNow(params)
  }

  /** No provider admits it: no try is made or counted. */
  async #refused({ failure, availableAt }: Extract<Choice, { permit?: undefined }>): Promise<Performed> {
    const scope = this.#scope
    const { link, time } = this.#worker
    const outlook = { ...NO_OTHER_PROVIDER, ...present({ availableAt }) }
    const verdict = scope.judge.refused(failure, outlook)
    if (verdict.action === 'park' && verdict.for !== 'label' && (await link?.mayPark()))
      return scope.settle(verdict, failure)
    const now = time.now()
    const stated = availableAt ?? (verdict.action === 'snooze' ? verdict.until : undefined)
    const until = Math.max(stated ?? now + UNSTATED_HOLD_MS, now + SHORTEST_HOLD_MS)
    return { ...scope.held(until, failure.message), ...scope.limited(until, failure.provider) }
  }

  #tryNow(params: D): Promise<Performed> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#invoke(params)
    })
  }

  /** The work itself, for its invocation. */
  work(context: JobContext): R | Promise<R> {
    return this.#worker.work(this.#scope.params, context)
  }

  /** The work has ended. */
  ended(outcome: Outcome<R>): void {
    try {
      this.#settle?.resolve(this.#afterTry(outcome))
    } catch (error) {
      this.#settle?.reject(error)
    }
  }

  #afterTry(outcome: Outcome<R>): Performed | Promise<Performed> {
    const scope = this.#scope
    scope.outcome = outcome
    if (outcome.ended === 'aborted' && this.#job.abortMeans === 'stop') return this.#stopped(outcome)
    const { link } = this.#worker
    if (isPlainSuccess(outcome, true)) return this.#succeeded(outcome)
    // A label given a moment ago counts.
    return link ? link.readLabels().then(() => this.#classified(outcome)) : this.#classified(outcome)
  }

  #classified(outcome: Outcome<R>): Performed | Promise<Performed> {
    const failure = workFailure(outcome, this.#scope.about)
    return failure ? this.#failed(failure, outcome) : this.#succeeded(outcome)
  }

  #succeeded(outcome: Outcome<R>): Performed | Promise<Performed> {
    const scope = this.#scope
    const { value } = outcome as { value: R }
    scope.takePermit()?.succeeded(scope.cost, value)
    const { capability } = this.#worker
    const isAsked = capability.handleResult !== undefined || partlyVerified(capability, value) !== undefined
    return isAsked ? this.#returned(value) : scope.succeed(value)
  }

  /** The data for the work, or a failure if it does not match the schema. */
  #read(): Read<D> | Promise<Read<D>> {
    const data = this.#worker.dataOf(this.#job.data)
    if (asObject(data) === undefined)
      return { failure: this.#invalid(['it must be an object, because the counters are kept in it']) }
    if (!this.#worker.hasSchema) return { data: data as D }
    const checked = checkParams(this.#worker.capability, data)
    const readAs = (result: Awaited<typeof checked>): Read<D> =>
      result.fits ? { data: result.params } : { failure: this.#invalid(result.problems) }
    return checked instanceof Promise ? checked.then(readAs) : readAs(checked)
  }

  /** Names the mistakes but no values: prompts do not belong in an error list. */
  #invalid(problems: readonly string[]): Failure {
    return classify(new ParamsError(`invalid data: ${problems.join('; ')}`), this.#scope.about) as Failure
  }

  /** Checks whether earlier tries took effect, before the work starts over. */
  async #beforeWork(params: D): Promise<Performed | undefined> {
    const scope = this.#scope
    const { maybeDoneAt = 0, snoozes } = scope.record
    const { capability, time, bounds } = this.#worker
    if (capability.retry === 'none') return scope.settle(this.#unverifiable('it must not run twice'))
    const notBefore = maybeDoneAt + (capability.verification?.delayMs ?? 0)
    if (time.now() < notBefore) return scope.held(notBefore, 'too early to check whether it took effect')
    const verified = await verify(capability, params, scope.verifyContext, { time })
    if (verified.state === 'done') return scope.succeed('value' in verified ? verified.value : undefined)
    if (verified.state === 'absent') {
      scope.markAbsent()
      return undefined
    }
    if (snoozes >= bounds.maxSnoozes)
      return scope.settle(this.#unverifiable(`checked ${snoozes} times, last answer: ${verified.reason}`))
    const snooze: Verdict = {
      action: 'snooze',
      until: time.now() + askAgainAfterMs(snoozes),
      mode: 'again',
      reason: `unsure whether it took effect: ${verified.reason}`,
      rule: 'job:unsure',
    }
    await scope.prepareJudge()
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

  /** Runs the work once. */
  #invoke(params: D): void {
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
      listensLate: true,
    })
    const context = new JobWorkContext(this.#scope, invocation, limitMs)
    invocation.begin(this, context)
    if (signal) listenAfterTurn(invocation)
  }

  /** A returned value: a success, unless a hook or the value itself says otherwise. */
  async #returned(value: R): Promise<Performed> {
    const scope = this.#scope
    const { capability } = this.#worker
    await scope.prepareJudge()
    const { judge } = scope
    const circumstances = judge.circumstances()
    const answer = await askResult(capability, value, scope.hookContext(circumstances), scope.tools)
    if (answer === undefined) return scope.succeed(value)
    if (isSucceeded(answer)) return scope.succeed(answer.succeeded)
    if (isFailed(answer)) {
      const refused = new Error('handleResult refused the result')
      const failure = classify(answer.failed, scope.about) ?? (classify(refused, scope.about) as Failure)
      return this.#failed(failure, scope.outcome as Outcome)
    }
    const { verdict } = judge.bounded(answer, undefined, circumstances)
    return scope.settle(withRemedyFor(capability, verdict))
  }

  #failed(failure: Failure, outcome: Outcome): Promise<Performed> {
    const { capability } = this.#worker
    const whole = failureOfWholeTry(capability, outcome, failure, this.#scope.isCommitted)
    return this.#decided(whole, outcome, false, isLifted(failure, whole))
  }

  /** Asks the policies, then the hook, both within the bounds of the job. */
  async #decided(
    failure: Failure,
    outcome?: Outcome,
    isLost = false,
    isLiftedByTry = false,
  ): Promise<Performed> {
    const scope = this.#scope
    const { judge } = scope
    const { capability, link } = this.#worker
    const permit = scope.takePermit()
    let mayPark: boolean | undefined
    const decided = await afterFailure(
      { failure, seen: scope.withHistory(failure), permit, cost: scope.cost },
      {
        judge,
        // The engine is asked only now: other workers must hear of a limit first.
        outlook: async () => {
          await scope.prepareJudge()
          mayPark = await link?.mayPark()
          return { ...(await this.#availability(permit?.provider, failure)), ...outlookOf(outcome) }
        },
        asked: (verdict, circumstances) =>
          askFailure(
            capability,
            failure,
            verdict,
            scope.hookContext(circumstances, failure.provider),
            scope.tools,
          ),
        remedied: verdict =>
          withRemedyFor(capability, mayPark ? verdict : withoutLabelPark(verdict, failure), isLiftedByTry),
      },
    )
    if (isSucceeded(decided)) return scope.succeed(decided.succeeded)
    return scope.settle(decided.verdict, failure, isLost, causeOf(outcome))
  }

  /** When its provider can serve again, now that its health has counted the failure. */
  async #availability(provider: string | undefined, after: Failure): Promise<Pick<Outlook, 'availableAt'>> {
    const { link } = this.#worker
    if (provider === undefined || !link) return {}
    const { availableAt } = await link.health.outlook({
      pool: [provider],
      tried: NONE_TRIED,
      after,
      again: provider,
    })
    return availableAt === undefined ? {} : { availableAt }
  }

  /** Gives the job back when the worker stops, if the work may start over. */
  async #stopped(outcome: Outcome): Promise<Performed> {
    const scope = this.#scope
    scope.takePermit()?.released(scope.cost)
    const { capability, bounds } = this.#worker
    const failure = workFailure(outcome, scope.about) as Failure
    const { effect } = failureOfWholeTry(capability, outcome, failure, scope.isCommitted)
    const circumstances = {
      repeatable: bounds.retry === 'replay',
      verifiable: bounds.retry === 'verify_first',
    }
    if (!mayStartOver(effect, circumstances))
      return scope.settle(this.#unverifiable('its worker stopped while it ran'), {
        ...failure,
        effect,
      })
    return scope.released('its worker stopped', effect !== 'none')
  }
}

const NONE_TRIED: ReadonlySet<string> = new Set()
/** Longest that a job waits for its turn in this process, in milliseconds. */
const LONGEST_TURN_MS = 1_000
/** Shortest wait of a job that no provider admits, in milliseconds. */
const SHORTEST_HOLD_MS = 100
/** How long such a job waits if nobody knows until when, in milliseconds. */
const UNSTATED_HOLD_MS = 30_000

type Read<D> = { data: D } | { failure: Failure }

/** Cancels instead of parking for a label: engines cannot wait for one, but a person can retry the job. */
export function withoutLabelPark(verdict: Verdict, { kind }: Pick<Failure, 'kind'>): Verdict {
  if (verdict.action !== 'park' || verdict.for !== 'label') return verdict
  const reason = `${kind}: not classified, so the job is not run again`
  return { action: 'cancel', as: 'refused', reason, rule: verdict.rule }
}

/** A call made by the work knows when a provider of its pool will be available again. */
function outlookOf(outcome: Outcome | undefined): Outlook {
  const availableAt = outcome?.ended === 'threw' ? availableAfter(outcome.error) : undefined
  return availableAt === undefined ? NO_OTHER_PROVIDER : { ...NO_OTHER_PROVIDER, availableAt }
}

function causeOf(outcome: Outcome | undefined): unknown {
  return outcome && 'error' in outcome ? outcome.error : undefined
}
