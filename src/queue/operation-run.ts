import { askFailure, askResult, isFailed, type ResumeFrom, workFailure } from '../capability/index.ts'
import type { ClaimedRun, Interruption } from '../engine/index.ts'
import { type ClassifyContext, classify, type Failure } from '../failure/index.ts'
import type { EndingVerdict, NewAttempt } from '../ledger/index.ts'
import type { Choice, Outlook, Permit } from '../provider/index.ts'
import { sleep } from '../time/index.ts'
import type { Verdict } from '../verdict/index.ts'
import type { Blocks } from './blocks.ts'
import type { Counters } from './counters.ts'
import { InProcess } from './in-process.ts'
import { DurableJudge } from './judge.ts'
import { lostAttempt, lostRunFailure } from './lost-run.ts'
import { causeOf, idempotencyKey, OneTry } from './one-try.ts'
import { Recorder } from './recorder.ts'
import type { RunEnd } from './run-end.ts'
import { RunEvents, type RunListener } from './run-events.ts'
import { RunWriter } from './run-writer.ts'
import { type Subject, subjectOf } from './subject.ts'
import type { Surroundings } from './surroundings.ts'
import { beforeWork, notBeforeAsking } from './verification.ts'

export interface RunOptions {
  surroundings: Surroundings
  blocks: Blocks
  claimed: ClaimedRun
  /** Aborted when the run was lost, cancelled or is to stop; its reason is an {@link Interruption}. */
  signal: AbortSignal
  /** For tries in the process of the caller: retries are waited for here while the budget lasts. Default none. */
  budgetMs?: number
  /** Told of the tries of this run. Default nobody. */
  listener?: RunListener
}

type Refused = Extract<Choice, { permit?: undefined }>

/** One run of an operation: the one loop that all of them go through. */
export class OperationRun {
  readonly #options: RunOptions
  readonly #recorder: Recorder
  readonly #controller = new AbortController()
  readonly #counters: Counters
  readonly #writer: RunWriter
  readonly #events: RunEvents | undefined
  readonly #tried = new Set<string>()
  #subject!: Subject
  #judge!: DurableJudge
  #inProcess: InProcess | undefined
  #resume: ResumeFrom | undefined
  /** The provider that the next try goes to, and nobody else. */
  #again: string | undefined
  /** The last failure of this run, and what it was read from. */
  #last: { failure: Failure; cause: unknown } | undefined
  /** Whether the last verdict was one for this process; one of the durable kind ends the run. */
  #isDecidedInProcess = false
  #note: unknown
  /** Whether the work was begun in this run: what it did is not known before its end is written. */
  hasTried = false

  constructor(options: RunOptions) {
    this.#options = options
    const { claimed, signal, surroundings } = options
    const { retries, snoozes, retryingMs, snoozedMs } = claimed.operation
    this.#counters = { retries, snoozes, retryingMs, snoozedMs }
    const mayHandOver = options.budgetMs === undefined || surroundings.settings.enabled
    const insist = options.budgetMs === undefined ? signal : undefined
    this.#writer = new RunWriter(surroundings, claimed, mayHandOver, insist)
    this.#events = options.listener && new RunEvents(options.listener, claimed, surroundings.time)
    this.#recorder = new Recorder(surroundings.engine, claimed.fence, {
      onError: error => surroundings.report({ about: 'queue', error, operation: claimed.operation.id }),
      onStale: () => this.#controller.abort('lost' satisfies Interruption),
      onRecord: ({ costUsd }) => this.#events?.spent(costUsd),
    })
    if (signal.aborted) this.#controller.abort(signal.reason)
    else signal.addEventListener('abort', this, { once: true })
  }

  /** The runner's signal was aborted. */
  handleEvent(): void {
    this.#controller.abort(this.#options.signal.reason)
  }

  async run(): Promise<RunEnd> {
    try {
      return (await this.#begin()) ?? (await this.#loop())
    } finally {
      this.#options.signal.removeEventListener('abort', this)
    }
  }

  /** Everything before the first try: what a lost run left behind, and what the work needs. */
  async #begin(): Promise<RunEnd | undefined> {
    const { surroundings, claimed, budgetMs } = this.#options
    const { operation, lost } = claimed
    const found = await subjectOf(surroundings, claimed)
    if (!found.subject) {
      if (lost) await this.#writer.append(lostAttempt(lost, lostRunFailure(lost, undefined), this.#now), true)
      return this.#writer.settle(found.verdict)
    }
    this.#subject = found.subject
    const { capability, history, pool } = found.subject
    this.#judge = new DurableJudge(surroundings, capability, this.#counters)
    if (lost) return this.#afterLoss(lost)
    const resumption = history.resumption(operation, pool)
    this.#resume = resumption?.resume
    this.#again = resumption?.provider
    if (budgetMs !== undefined)
      this.#inProcess = new InProcess(surroundings, capability, budgetMs, this.#signal)
    return undefined
  }

  /** Its attempt is written and decided before any work starts. */
  async #afterLoss(lost: NonNullable<ClaimedRun['lost']>): Promise<RunEnd | undefined> {
    const { operation } = this.#options.claimed
    const { history, pool } = this.#subject
    const { agentSession: session } = lost
    // A run that started over had a session of its own; one that was recorded before it is not that.
    const isOwn =
      operation.mode === 'resume' || !history.attempts.some(({ sessionId }) => sessionId === session)
    const failure = lostRunFailure(lost, isOwn ? session : undefined)
    const provider = lost.provider ?? (pool.length === 1 ? pool[0] : undefined)
    const known = provider === undefined ? failure : { ...failure, provider }
    if (provider !== undefined) this.#tried.add(provider)
    const outlook = await this.#outlook(known)
    const decided = this.#judge.verdict(history.lifted(known), outlook)
    const verdict = await this.#asked(decided, known, outlook)
    const attempt = { ...lostAttempt(lost, known, this.#now), verdict }
    if (provider !== undefined) attempt.provider = provider
    // A verdict to retry counts it; any other has to be told that a runner was lost.
    if (verdict.action === 'retry')
      return this.#writer.settle(notBeforeAsking(verdict, this.#subject, attempt, this.#now), attempt)
    if (!(await this.#append(attempt, true))) return { end: 'lost' }
    this.#counters.retries++
    return verdict.action === 'failover' ? undefined : this.#writer.settle(verdict)
  }

  async #loop(): Promise<RunEnd> {
    for (;;) {
      if (this.#signal.aborted) return this.#interrupted()
      const prevented = await this.#prevented()
      if (prevented) return prevented
      const choice = await this.#choose()
      if (choice && !choice.permit) {
        const end = await this.#unadmitted(choice)
        if (end) return end
        continue
      }
      const end = await this.#try(choice?.permit, choice?.passedOver)
      if (end) return end
    }
  }

  /** What stands in the way of starting over. A session that is continued does not start over. */
  async #prevented(): Promise<RunEnd | undefined> {
    const { capability, params, mask, history } = this.#subject
    if (this.#resume || history.attempts.length === 0) return undefined
    const { surroundings, claimed } = this.#options
    const context = {
      signal: this.#signal,
      run: claimed.fence.run,
      idempotencyKey: idempotencyKey(claimed),
      attempts: history.attempts,
      env: surroundings.env,
    }
    const { snoozes } = this.#counters
    const question = { params, context, mask, snoozes }
    const startedAt = this.#now
    const before = await beforeWork(surroundings, capability, history, question)
    if (this.#signal.aborted) return this.#interrupted()
    switch (before.may) {
      case 'run':
        this.#note = before.note && { verification: before.note }
        return undefined
      case 'later':
        return this.#writer.release(
          { dueAt: before.at },
          'it is too early to ask whether its effect is there',
        )
      case 'succeed': {
        const attempt = { startedAt, endedAt: this.#now, note: { verification: 'done' } }
        return this.#writer.succeed(before.value, mask, attempt)
      }
      case 'ask again': {
        const reason = `unsure whether its effect is there: ${before.why}`
        const verdict = { until: before.at, mode: 'again', reason, rule: 'queue:unsure' } as const
        const snooze: Verdict = { action: 'snooze', ...verdict }
        const circumstances = this.#judge.circumstances()
        return this.#writer.settle(this.#judge.bounded(snooze, undefined, circumstances) as EndingVerdict)
      }
      case 'not':
        return this.#writer.settle({
          action: 'cancel',
          as: before.as,
          reason: before.why,
          rule: 'queue:unverifiable',
        })
    }
  }

  async #choose(): Promise<Choice | undefined> {
    const { pool } = this.#subject
    if (pool.length === 0) return undefined
    const after = this.#last?.failure
    return this.#options.surroundings.health.choose({ pool, tried: this.#tried, again: this.#again, after })
  }

  /** Nobody admits: no try is made and none is counted. */
  async #unadmitted({ failure, availableAt }: Refused): Promise<RunEnd | undefined> {
    const { blocks } = this.#options
    // A retry whose provider no longer admits it goes to another that does; a session can only be continued where it is.
    if (this.#again !== undefined && !this.#resume && this.#last) {
      this.#again = undefined
      if ((await this.#outlook(this.#last.failure)).otherProviderAvailable) return undefined
    }
    const outlook = { otherProviderAvailable: false, ...(availableAt === undefined ? {} : { availableAt }) }
    const waitMs = this.#inProcess?.waitForAdmission(failure, outlook)
    if (waitMs !== undefined) {
      await this.#wait(waitMs, failure.message)
      return undefined
    }
    // Somebody was tried before in this run: its failure is what the run ends with, counted as always.
    if (this.#last && this.#tried.size > 0) {
      const lifted = this.#subject.history.lifted(this.#last.failure)
      const verdict = this.#judge.verdict(lifted, outlook)
      if (verdict.action !== 'failover') return this.#writer.settle(verdict, undefined, this.#last.cause)
    }
    await blocks.sync()
    const verdict = this.#judge.unadmitted(failure, outlook)
    if (verdict.action === 'park' || verdict.action === 'cancel') return this.#writer.settle(verdict)
    const planned = availableAt ?? (verdict.action === 'snooze' ? verdict.until : 0)
    const dueAt = Math.max(planned, this.#now + SHORTEST_WAIT_MS)
    const mode = this.#resume ? 'resume' : 'again'
    return this.#writer.release({ dueAt, mode }, `no provider admits it: ${failure.message}`)
  }

  async #try(permit?: Permit, passedOver?: Choice['passedOver']): Promise<RunEnd | undefined> {
    const { surroundings, claimed } = this.#options
    const { capability, params, mask, history, pool } = this.#subject
    const remainingMs = this.#inProcess?.remainingMs ?? Infinity
    const attempt = new OneTry({
      surroundings,
      capability,
      params,
      run: claimed,
      attempts: history.attempts,
      permit,
      isPool: pool.length > 1,
      resume: this.#resume,
      remainingMs,
      signal: this.#signal,
      recorder: this.#recorder,
    })
    this.#events?.started(history.attempts.length + 1, attempt.provider, remainingMs, passedOver)
    this.hasTried = true
    const outcome = await attempt.do()
    await this.#recorder.written()
    const failure = workFailure(outcome, this.#classifyContext(attempt.provider), mask)
    // What is begun here can be continued; sessions of earlier tries that were given up cannot.
    history.session = failure?.sessionId ?? attempt.sessionId
    if (outcome.ended === 'aborted') {
      permit?.released(attempt.cost)
      return this.#interrupted(attempt.attempt(failure, undefined, this.#note), failure)
    }
    if (failure) return this.#failed(failure, causeOf(outcome), attempt, permit)
    const { value } = outcome as { value: unknown }
    permit?.succeeded(attempt.cost, value)
    if (permit) void this.#options.blocks.succeeded(permit.provider)
    return this.#returned(value, attempt)
  }

  async #returned(value: unknown, attempt: OneTry): Promise<RunEnd | undefined> {
    const { capability, params, mask } = this.#subject
    const circumstances = this.#judge.circumstances()
    const context = { params, circumstances, signal: this.#signal }
    const answer = await askResult(capability, value, context, this.#hookTools)
    if (answer === undefined)
      return this.#writer.succeed(value, mask, attempt.attempt(undefined, undefined, this.#note))
    if (isFailed(answer)) {
      const about = this.#classifyContext(attempt.provider)
      const refused = new Error('its result was refused')
      const failure = classify(mask.value(answer.failed), about) ?? (classify(refused, about) as Failure)
      return this.#failed(mask.failure(failure), answer.failed, attempt, undefined)
    }
    const verdict = this.#judge.bounded(answer, undefined, circumstances)
    return this.#act(verdict, attempt.attempt(undefined, verdict, this.#note), undefined, value)
  }

  async #failed(
    failure: Failure,
    cause: unknown,
    attempt: OneTry,
    permit: Permit | undefined,
  ): Promise<RunEnd | undefined> {
    if (attempt.provider !== undefined) this.#tried.add(attempt.provider)
    if (permit) {
      if (failure.class === 'aborted' || failure.class === 'rail') permit.released(attempt.cost)
      else permit.failed(failure, this.#judge.health(failure), attempt.cost)
      await this.#options.blocks.sync()
    }
    this.#last = { failure, cause }
    const outlook = await this.#outlook(failure)
    const verdict = await this.#asked(this.#verdict(failure, outlook, permit), failure, outlook)
    return this.#act(verdict, attempt.attempt(failure, verdict, this.#note), failure, cause)
  }

  /** In process first, where there is a budget; what that cannot do is decided again as durable. */
  #verdict(failure: Failure, outlook: Outlook, permit: Permit | undefined): Verdict {
    const lifted = this.#subject.history.lifted(failure)
    const verdict = this.#inProcess?.verdict(lifted, outlook, permit)
    this.#isDecidedInProcess = verdict !== undefined
    return verdict ?? this.#judge.verdict(lifted, outlook)
  }

  /** What the capability says about it. */
  async #asked(verdict: Verdict, failure: Failure, outlook: Outlook): Promise<Verdict> {
    const { capability, params, history } = this.#subject
    const circumstances = this.#judge.circumstances(outlook)
    const context = { params, circumstances, signal: this.#signal }
    const changed = await askFailure(capability, failure, verdict, context, this.#hookTools)
    return changed ? this.#judge.bounded(changed, history.lifted(failure), circumstances) : verdict
  }

  async #act(
    verdict: Verdict,
    attempt: NewAttempt,
    failure: Failure | undefined,
    cause: unknown,
  ): Promise<RunEnd | undefined> {
    this.#events?.ended(this.#subject.history.attempts.length + 1, attempt)
    const goesOn = this.#goesOn(verdict)
    if (verdict.action === 'failover' && !goesOn)
      return this.#writer.release({ dueAt: this.#now, attempt }, verdict.reason)
    if (verdict.action !== 'failover' && !goesOn)
      return this.#writer.settle(notBeforeAsking(verdict, this.#subject, attempt, this.#now), attempt, cause)
    if (!(await this.#append(attempt))) return { end: 'lost' }
    this.#again = undefined
    this.#resume = undefined
    if (verdict.action !== 'retry') return undefined
    this.#counters.retries++
    this.#inProcess?.retried()
    this.#again = attempt.provider
    const { session } = this.#subject.history
    if (verdict.mode === 'resume' && session !== undefined)
      this.#resume = {
        sessionId: session,
        ...(this.#recorder.folder === undefined ? {} : { cwd: this.#recorder.folder }),
        ...(failure ? { failure } : {}),
      }
    await this.#wait(verdict.delayMs, verdict.reason)
    return undefined
  }

  /** Whether the verdict is a further try of this very run. */
  #goesOn(verdict: Verdict): boolean {
    if (verdict.action === 'failover') return this.#inProcess?.fits(0) ?? true
    if (verdict.action !== 'retry' || !this.#isDecidedInProcess) return false
    return this.#inProcess?.fits(verdict.delayMs) ?? false
  }

  /** The run must end, whatever it was doing: it was lost, cancelled, or its runner stops. */
  async #interrupted(attempt?: NewAttempt, failure?: Failure): Promise<RunEnd> {
    const why = this.#signal.reason as Interruption | unknown
    if (why === 'lost') return { end: 'lost' }
    if (why === 'stop') {
      const { capability, history } = this.#subject
      const isBegun = this.#resume !== undefined || (failure !== undefined && failure.effect !== 'none')
      const mode = capability.resumable && history.session !== undefined && isBegun ? 'resume' : 'again'
      return this.#writer.release({ mode, ...(attempt ? { attempt } : {}) }, 'its runner stopped')
    }
    const reason = 'it was cancelled while it ran'
    const verdict: Verdict = { action: 'cancel', as: 'cancelled', reason, rule: 'queue:cancelled' }
    return this.#writer.settle(verdict, attempt)
  }

  async #wait(ms: number, reason: string): Promise<void> {
    this.#events?.waiting(ms, reason)
    // An abort is seen at the top of the loop.
    await sleep(this.#options.surroundings.time, ms, this.#signal).catch(() => {})
  }

  async #outlook(after: Failure): Promise<Outlook> {
    const { pool } = this.#subject
    if (pool.length === 0) return { otherProviderAvailable: false }
    return this.#options.surroundings.health.outlook({ pool, tried: this.#tried, after })
  }

  #classifyContext(provider: string | undefined): ClassifyContext {
    const { classify: more } = this.#options.surroundings
    return { ...more, now: this.#now, ...(provider === undefined ? {} : { provider }) }
  }

  /** False if the run is stale. */
  async #append(attempt: NewAttempt, lostRunner = false): Promise<boolean> {
    if (!(await this.#writer.append(attempt, lostRunner))) return false
    this.#subject.history.add(attempt, this.#options.claimed.fence.run)
    return true
  }

  get #hookTools() {
    const { surroundings } = this.#options
    const report = (problem: Parameters<Parameters<typeof askFailure>[4]['report']>[0]) =>
      surroundings.report({ about: 'hook', problem })
    return { report, mask: this.#subject.mask, time: surroundings.time }
  }

  get #signal(): AbortSignal {
    return this.#controller.signal
  }

  get #now(): number {
    return this.#options.surroundings.time.now()
  }
}

/** Where nobody admits and nobody knows until when, in milliseconds. */
const SHORTEST_WAIT_MS = 1_000
