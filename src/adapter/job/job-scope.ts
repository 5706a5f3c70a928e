import type { Judge } from '../../call/attempt/judge.ts'
import type { Outcome } from '../../call/attempt/outcome.ts'
import { type Spending, Tally, totalCost } from '../../call/attempt/tally.ts'
import type { RunFacts, VerifyContext } from '../../capability/context.ts'
import type { HookContext } from '../../capability/hook.ts'
import type { HookTools } from '../../capability/hooks.ts'
import type { ClassifyContext } from '../../failure/context.ts'
import type { Failure } from '../../failure/failure.ts'
import { present } from '../../failure/present.ts'
import type { NewAttempt } from '../../ledger/attempt.ts'
import type { Cost, Permit } from '../../provider/gate.ts'
import type { Circumstances } from '../../verdict/circumstances.ts'
import { verdictToJson } from '../../verdict/json.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { JobInfo } from './context.ts'
import type { EngineJob, Performed } from './engine-job.ts'
import { JobTelemetry } from './job-telemetry.ts'
import type { JobWork } from './job-work.ts'
import { jobJudge } from './judge.ts'
import { type JobOutcome, outcomeInWords, toOutcome } from './outcome.ts'
import {
  afterWait,
  asObject,
  hasEnded,
  type JobRecord,
  lastAttempt,
  readRecord,
  recordForRetryByHand,
  withRecord,
} from './record.ts'
import { redactedError } from './redacted-error.ts'
import type { JobStart } from './work-context.ts'

const NO_COST: Cost = Object.freeze({ costUsd: null, tokens: null })

/**
 * How soon a job asks again whether its provider can serve: after a tenth of what it has waited, and this at least, in
 * milliseconds. A limit may end early, and nobody wakes a job in another engine. A week has less than 100 looks: an engine may
 * count each as steps, and end a job that has too many.
 */
const SHORTEST_LOOK_MS = 30_000

/** For engines that never abort a job. */
const NEVER = new AbortController().signal

/** The state of one start of a job: its record, its spending, how it ends. */
export class JobScope<D, R> implements JobStart {
  record: JobRecord
  /** Set once the data has been read. */
  params!: D
  /** Set once the work has ended. */
  outcome: Outcome | undefined
  isCommitted = false
  /** Of its provider, while the work runs; undefined without one, or if the worker is not connected. */
  permit: Permit | undefined
  /** The try, as the ledger keeps it; undefined if none was made. */
  tried: NewAttempt | undefined
  readonly #worker: JobWork<D, R>
  readonly job: EngineJob
  readonly #startedAt: number
  #tally: Tally | undefined
  #sessionId: string | undefined
  /** Undefined if nobody listens. */
  #telemetry: JobTelemetry | undefined
  #judge: Judge | undefined
  /** As looked up by {@link prepareJudge}. */
  #retriesLeft: number | undefined

  constructor(worker: JobWork<D, R>, job: EngineJob, given?: JobRecord) {
    this.#worker = worker
    this.job = job
    this.#startedAt = worker.time.now()
    const record = afterWait(given ?? job.record ?? readRecord(job.data), this.#startedAt)
    this.record = hasEnded(record) ? recordForRetryByHand(record, worker.bounds.retry) : record
  }

  /** Number of earlier starts that no worker settled. */
  get lostStarts(): number {
    const { starts } = this.job
    return starts === undefined ? 0 : Math.max(0, starts - this.record.starts - 1)
  }

  /** Whether an earlier try may have taken effect, so the work must not simply start over. Resuming a session is not starting over. */
  get isOpen(): boolean {
    const { maybeDoneAt, resume } = this.record
    return maybeDoneAt !== undefined && resume === undefined && this.#worker.bounds.retry !== 'replay'
  }

  /** Looks up what the judge needs and a success does not. To be awaited before the judge is first asked. */
  async prepareJudge(): Promise<void> {
    const { job } = this
    if (typeof job.retriesLeft !== 'function' || this.#retriesLeft !== undefined) return
    try {
      this.#retriesLeft = (await job.retriesLeft()) ?? Infinity
    } catch (error) {
      this.#worker.report(
        'retriesLeft',
        `the engine could not be asked: ${(error as Error)?.message ?? error}`,
      )
    }
  }

  get judge(): Judge {
    const { bounds, capability, time, random } = this.#worker
    this.#judge ??= jobJudge(bounds, this.record, {
      policies: capability.policy,
      retriesLeft: () => {
        const { retriesLeft } = this.job
        return (typeof retriesLeft === 'function' ? this.#retriesLeft : retriesLeft) ?? Infinity
      },
      now: () => time.now(),
      random,
      report: ({ policy, member, problem }) => this.#worker.report(`policy ${policy}, ${member}`, problem),
    })
    return this.#judge
  }

  /** Context for the classifier. */
  get about(): ClassifyContext {
    const { capability, provider, time, link } = this.#worker
    return {
      now: time.now(),
      provider,
      ...(link ? { signatures: link.signatures } : {}),
      classifier: capability.classifier,
      onClassifierProblem: ({ classifier, problem }) =>
        this.#worker.report(`classifier ${classifier}`, problem),
    }
  }

  get tools(): HookTools {
    const { time } = this.#worker
    return { time, report: ({ hook, problem }) => this.#worker.report(hook, problem) }
  }

  get verifyContext(): VerifyContext {
    const { signal = NEVER } = this.job
    return {
      signal,
      run: this.run,
      idempotencyKey: this.idempotencyKey,
      attempts: lastAttempt(this.record),
      env: process.env,
    }
  }

  hookContext(circumstances: Circumstances, provider = this.#worker.provider): HookContext<D> {
    const { signal = NEVER, jobId, queue, engine, job } = this.job
    const context: Omit<HookContext<D>, 'operationId' | 'context' | 'session'> & JobInfo = {
      ...{ jobId, queue, engine, job, circumstances, signal, provider },
      params: this.params,
      run: this.run,
      attempt: this.record.tries + 1,
      attempts: lastAttempt(this.record),
    }
    return context as unknown as HookContext<D>
  }

  /**
   * A failure as policies see it: an earlier try may still have taken effect, and an earlier session can still be
   * resumed.
   */
  withHistory(failure: Failure): Failure {
    const isOpen = failure.effect === 'none' && this.record.maybeDoneAt !== undefined
    const sessionId = failure.sessionId ?? this.#sessionId ?? this.record.resume
    return {
      ...failure,
      ...(isOpen ? { effect: 'maybe' as const } : {}),
      ...present({ sessionId }),
    }
  }

  /** Records that a verification found no effect. */
  markAbsent(): void {
    const { maybeDoneAt: _at, ...rest } = this.record
    this.record = rest
    this.#judge = undefined
  }

  begin(): void {
    this.#telemetry = JobTelemetry.start(this.#worker, this.job, this.record.tries + 1)
  }

  /** Ends this start without a try. */
  held(until: number, reason: string): Performed {
    const waiting = { for: 'snooze' as const, since: this.#now }
    const outcome: JobOutcome = { outcome: 'snooze', until, mode: 'again', reason }
    this.#ended(outcome)
    return this.#performed(outcome, { ...this.record, starts: this.run, waiting })
  }

  /** What a provider that cannot serve means for this job and for the others. */
  limited(until: number, provider: string | undefined): Pick<Performed, 'lookAgainAt' | 'pauseUntil'> {
    const { link, provider: own } = this.#worker
    // Only the gate of its own provider can be asked: any other look would be a try.
    const isGated = link !== undefined && own !== undefined && (provider ?? own) === own
    const patienceMs = Math.max(SHORTEST_LOOK_MS, this.record.snoozedMs / 10)
    return {
      ...(isGated ? { lookAgainAt: Math.min(until, this.#now + patienceMs) } : {}),
      ...(this.#worker.pausesFor(provider) ? { pauseUntil: this.#worker.pauseUntil(until) } : {}),
    }
  }

  /** Gives the job back. The try is not counted. */
  released(reason: string, mayHaveActed: boolean): Performed {
    const record = {
      ...this.record,
      starts: this.run,
      ...(mayHaveActed ? { maybeDoneAt: this.#now } : {}),
    }
    const outcome: JobOutcome = { outcome: 'retry', afterMs: 0, mode: 'again', isFree: true, reason }
    this.#ended(outcome)
    return this.#performed(outcome, record)
  }

  succeed(value: unknown): Performed {
    const outcome: JobOutcome = { outcome: 'done', value }
    this.#ended(outcome)
    // A ledger that does not know the job does not keep its success either.
    if (this.#worker.link && (this.record.tries > 0 || this.record.operation !== undefined))
      this.tried = this.#asAttempt()
    return this.#performed(outcome, this.record.tries === 0 ? this.record : this.#afterSuccess())
  }

  /** The record of a job that failed before and now succeeded: it waits for nothing, and has nothing left to resume. */
  #afterSuccess(): JobRecord {
    const {
      resume: _r,
      waiting: _w,
      throttledUntil: _t,
      verdict: _v,
      maybeDoneAt: _m,
      ...record
    } = this.record
    const costUsd = this.#costUsd(undefined)
    return {
      ...record,
      starts: this.run,
      tries: record.tries + 1,
      ...(costUsd === null ? {} : { costUsd: (record.costUsd ?? 0) + costUsd }),
      succeededAt: this.#now,
    }
  }

  /**
   * Ends this start with a verdict, and counts the try.
   * @param failure undefined if the verdict is about a result
   * @param isLost whether the failure is a lost worker
   * @param cause the original error of the work
   */
  settle(verdict: Verdict, failure?: Failure, isLost = false, cause?: unknown): Performed {
    const outcome = toOutcome(this.#afterVerifyDelay(verdict))
    const record = this.#counted(verdict, failure, isLost)
    this.#ended(outcome, verdict, failure)
    if (this.#worker.link) this.tried = this.#asAttempt(verdict, failure, record.maybeDoneAt !== undefined)
    const isThrottled = failure?.class === 'throttle' && verdict.action === 'snooze'
    return {
      ...this.#performed(outcome, isThrottled ? { ...record, throttledUntil: verdict.until } : record),
      error: errorOf(outcome, failure, cause),
      ...(isThrottled ? this.limited(verdict.until, failure.provider) : {}),
    }
  }

  /** @param isOpen whether the job may have taken effect, in this try or in an earlier one */
  #asAttempt(verdict?: Verdict, failure?: Failure, isOpen = false): NewAttempt {
    const costUsd = this.#costUsd(failure)
    const provider = failure?.provider ?? this.provider
    const sessionId = failure?.sessionId ?? this.#sessionId
    return {
      startedAt: this.#startedAt,
      endedAt: this.#now,
      ...present({ provider }),
      ...(failure?.model === undefined ? {} : { model: failure.model }),
      ...present({ failure, verdict }),
      ...(costUsd === null ? {} : { costUsd }),
      ...(failure?.turns === undefined ? {} : { turns: failure.turns }),
      ...present({ sessionId }),
      note: { start: this.run, ...(isOpen ? { open: true } : {}) },
    }
  }

  #counted(verdict: Verdict, failure: Failure | undefined, isLost: boolean): JobRecord {
    const { resume: _resume, waiting: _waiting, throttledUntil: _until, ...record } = this.record
    const { action } = verdict
    const now = this.#now
    const costUsd = this.#costUsd(failure)
    const mayHaveActed = failure ? failure.effect !== 'none' : true
    const resume =
      'mode' in verdict && verdict.mode === 'resume'
        ? failure && this.withHistory(failure).sessionId
        : undefined
    return {
      ...record,
      starts: this.run,
      tries: record.tries + 1,
      retries: record.retries + (action === 'retry' || isLost ? 1 : 0),
      snoozes: record.snoozes + (action === 'snooze' ? 1 : 0),
      firstFailedAt: record.firstFailedAt ?? now,
      ...(costUsd === null ? {} : { costUsd: (record.costUsd ?? 0) + costUsd }),
      ...(action === 'retry' || action === 'snooze' ? { waiting: { for: action, since: now } } : {}),
      ...(mayHaveActed ? { maybeDoneAt: now } : {}),
      ...present({ resume, failure }),
      verdict: verdictToJson(verdict),
    }
  }

  /** Delays a retry at least until the effect of the try can be verified. */
  #afterVerifyDelay(verdict: Verdict): Verdict {
    const { verification } = this.#worker.capability
    if (verdict.action !== 'retry' || verdict.mode === 'resume' || !verification) return verdict
    return { ...verdict, delayMs: Math.max(verdict.delayMs, verification.delayMs ?? 0) }
  }

  #performed(outcome: JobOutcome, record: JobRecord): Performed {
    const { data } = this.job
    const hasRoom = data === undefined || data === null || asObject(data) !== undefined
    // A job that never failed has no record, and its success costs no write.
    const isToWrite = outcome.outcome !== 'done' || record.succeededAt !== undefined
    return { outcome, record, data: hasRoom && isToWrite ? withRecord(data, record) : undefined }
  }

  #ended(outcome: JobOutcome, verdict?: Verdict, failure?: Failure): void {
    this.#telemetry?.ended({
      outcome,
      verdict,
      failure,
      attempt: this.record.tries + 1,
      durationMs: this.#now - this.#startedAt,
      costUsd: this.#costUsd(failure),
    })
  }

  #costUsd(failure: Failure | undefined): number | null {
    return totalCost(this.#tally, failure)
  }

  /** What the try has cost so far. */
  get cost(): Cost {
    return this.#tally ?? NO_COST
  }

  /** Gives up the permit, to be returned to its provider once. */
  takePermit(): Permit | undefined {
    const { permit } = this
    this.permit = undefined
    return permit
  }

  observed(seen: unknown): void {
    this.permit?.observed?.(seen)
  }

  charge(spent: Spending): void {
    this.#spending.add(spent)
  }

  /** Keeps facts about the try until it ends. */
  keep({ sessionId, costUsd }: RunFacts): void {
    if (sessionId !== undefined) this.#sessionId = sessionId
    if (costUsd !== undefined) this.#spending.costs(costUsd)
  }

  get provider(): string | undefined {
    return this.#worker.provider
  }

  get #spending(): Tally {
    this.#tally ??= new Tally()
    return this.#tally
  }

  get #now(): number {
    return this.#worker.time.now()
  }

  /** Number of this start, from 1. */
  get run(): number {
    return this.job.starts ?? this.record.starts + 1
  }

  /** The same for all tries of a job, and unique to the job. */
  get idempotencyKey(): string {
    const { engine, queue, jobId } = this.job
    return `${engine}.${queue}.${jobId}`
  }
}

/** The error for engines that store one and show its message in their list of jobs. */
function errorOf(outcome: JobOutcome, failure: Failure | undefined, cause: unknown): Error {
  const words = outcome.outcome === 'done' ? '' : outcomeInWords(outcome)
  const message = failure ? `${failure.message} (${words})` : words
  const options = cause instanceof Error ? { cause: redactedError(cause) } : {}
  return Object.assign(new Error(message, options), { name: 'JobFailed' })
}
