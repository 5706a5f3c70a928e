import { Budget } from '../call/budget.ts'
import { Judge } from '../call/judge.ts'
import { MIN_RETRY_BUDGET_DEFAULT_MS } from '../call/options.ts'
import {
  askFailure,
  askResult,
  type Capability,
  isFailed,
  type Mask,
  prepare,
  providersOf,
  type ResumeFrom,
  secondTryCircumstances,
  storeResult,
  verifyNotBefore,
  type WorkOutcome,
  workFailure,
} from '../capability/index.ts'
import type { ClaimedRun, Interruption } from '../engine/index.ts'
import { classify, type Failure } from '../failure/index.ts'
import type { EndingVerdict, HandBack, NewAttempt, Settled, Settlement } from '../ledger/index.ts'
import type { Choice, Outlook, Permit } from '../provider/index.ts'
import { sleep } from '../time/index.ts'
import type { Verdict } from '../verdict/index.ts'
import type { Blocks } from './blocks.ts'
import type { Counters } from './counters.ts'
import { History } from './history.ts'
import { DurableJudge } from './judge.ts'
import { lostAttempt, lostRunFailure } from './lost-run.ts'
import { idempotencyKey, OneTry } from './one-try.ts'
import { Recorder } from './recorder.ts'
import type { Surroundings } from './surroundings.ts'
import { beforeWork } from './verification.ts'

/** How a run ended. */
export type RunEnd =
  | { end: 'succeeded'; value: unknown }
  /** With the verdict that ended it; `cause` is what the work threw or returned. */
  | { end: 'settled'; verdict: EndingVerdict; settled: Settled; cause?: unknown }
  /** Given back unfinished. */
  | { end: 'released'; dueAt: number; reason: string }
  /** Somebody else has it, or it has ended: nothing more may be written. */
  | { end: 'lost' }

export interface RunOptions {
  surroundings: Surroundings
  blocks: Blocks
  claimed: ClaimedRun
  /** Aborted when the run was lost, cancelled or is to stop; its reason is an {@link Interruption}. */
  signal: AbortSignal
  /** For tries in the process of the caller: retries are waited for here while the budget lasts. Default none. */
  budgetMs?: number
}

type Refused = Extract<Choice, { permit?: undefined }>

/** One run of an operation: the one loop that all of them go through. */
export class OperationRun {
  readonly #options: RunOptions
  readonly #recorder: Recorder
  readonly #controller = new AbortController()
  /** Milliseconds that the tries of this run may still count against. */
  readonly #counters: Counters
  readonly #tried = new Set<string>()
  #capability!: Capability
  #params: unknown
  /** Who can serve it, the preferred one first. */
  #pool: readonly string[] = []
  #mask!: Mask
  #history!: History
  #judge!: DurableJudge
  #inProcess: { judge: Judge; budget: Budget } | undefined
  #resume: ResumeFrom | undefined
  #again: string | undefined
  /** The last failure of this run, with what is known about it. */
  #last: { failure: Failure; cause: unknown } | undefined
  /** Whether the last verdict was one for this process; one of the durable kind ends the run. */
  #isDecidedInProcess = false
  #note: unknown

  constructor(options: RunOptions) {
    this.#options = options
    const { claimed, signal, surroundings } = options
    const { retries, snoozes, retryingMs, snoozedMs } = claimed.operation
    this.#counters = { retries, snoozes, retryingMs, snoozedMs }
    this.#recorder = new Recorder(surroundings.engine, claimed.fence, {
      onError: error => surroundings.report({ about: 'queue', error, operation: claimed.operation.id }),
      onStale: () => this.#controller.abort('lost' satisfies Interruption),
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
    const attempts = operation.attempts > 0 ? await surroundings.ledger.attempts(operation.id) : []
    const prepared = await prepare(operation, surroundings)
    if (!prepared.ready) {
      if (lost) await this.#append(lostAttempt(lost, lostRunFailure(lost, undefined), this.#now), true)
      return this.#settle(prepared.verdict)
    }
    const { capability, params, mask } = prepared
    this.#capability = capability
    this.#params = params
    // Whoever submitted it without knowing the capability could not say who serves it.
    const { providers } = operation
    this.#pool = providers.length > 0 ? providers : providersOf(capability, surroundings.pools)
    this.#mask = mask
    this.#history = new History(capability, attempts)
    await this.#forgive()
    this.#judge = new DurableJudge(surroundings, capability, this.#counters)
    if (lost) return this.#afterLoss(lost)
    const resumption = this.#history.resumption(operation, this.#pool)
    this.#resume = resumption?.resume
    this.#again = resumption?.provider
    this.#history.session = resumption?.resume.sessionId
    if (budgetMs !== undefined) this.#inProcess = this.#callJudge(budgetMs)
    return undefined
  }

  /** A person who revives a dead operation takes on himself what it may have done before. */
  async #forgive(): Promise<void> {
    const { claimed, surroundings } = this.#options
    const { attempts } = this.#history
    if (this.#capability.retry !== 'none' || attempts.length === 0) return
    const timeline = await surroundings.ledger.timeline(claimed.operation.id)
    const revived = timeline.findLast(({ type }) => type === 'revived')
    if (revived) this.#history.answer(attempts.filter(({ run }) => run <= (revived.run ?? 0)).length)
  }

  /** Its attempt is written and decided before any work starts. */
  async #afterLoss(lost: NonNullable<ClaimedRun['lost']>): Promise<RunEnd | undefined> {
    const { operation } = this.#options.claimed
    const { agentSession: session } = lost
    const isOwn = operation.mode === 'resume' || !this.#history.attempts.some(a => a.sessionId === session)
    const failure = lostRunFailure(lost, isOwn ? session : undefined)
    const provider = lost.provider ?? (this.#pool.length === 1 ? this.#pool[0] : undefined)
    const known = provider === undefined ? failure : { ...failure, provider }
    if (provider !== undefined) this.#tried.add(provider)
    const outlook = await this.#outlook(known)
    const verdict = await this.#asked(
      this.#judge.verdict(this.#history.lifted(known), outlook),
      known,
      outlook,
    )
    const attempt = { ...lostAttempt(lost, known, this.#now), verdict }
    if (provider !== undefined) attempt.provider = provider
    // A verdict to retry counts it; any other has to be told that a runner was lost.
    if (verdict.action === 'retry') return this.#settle(this.#notBefore(verdict, attempt), attempt)
    if (!(await this.#append(attempt, true))) return { end: 'lost' }
    this.#counters.retries++
    return verdict.action === 'failover' ? undefined : this.#settle(verdict)
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
      const end = await this.#try(choice?.permit)
      if (end) return end
    }
  }

  /** What stands in the way of starting over. A session that is continued does not start over. */
  async #prevented(): Promise<RunEnd | undefined> {
    if (this.#resume || this.#history.attempts.length === 0) return undefined
    const { surroundings, claimed } = this.#options
    const context = {
      signal: this.#signal,
      run: claimed.fence.run,
      idempotencyKey: idempotencyKey(claimed),
      attempts: this.#history.attempts,
      env: surroundings.env,
    }
    const { snoozes } = this.#counters
    const question = { params: this.#params, context, mask: this.#mask, snoozes }
    const startedAt = this.#now
    const before = await beforeWork(surroundings, this.#capability, this.#history, question)
    if (this.#signal.aborted) return this.#interrupted()
    switch (before.may) {
      case 'run':
        this.#note = before.note && { verification: before.note }
        return undefined
      case 'later':
        return this.#release({ dueAt: before.at }, 'it is too early to ask whether its effect is there')
      case 'succeed': {
        const attempt = { startedAt, endedAt: this.#now, note: { verification: 'done' } }
        return this.#succeed(before.value, attempt)
      }
      case 'ask again': {
        const reason = `unsure whether its effect is there: ${before.why}`
        const verdict = { until: before.at, mode: 'again', reason, rule: 'queue:unsure' } as const
        const snooze: Verdict = { action: 'snooze', ...verdict }
        const circumstances = this.#judge.circumstances()
        return this.#settle(this.#judge.bounded(snooze, undefined, circumstances) as EndingVerdict)
      }
      case 'not':
        return this.#settle({
          action: 'cancel',
          as: before.as,
          reason: before.why,
          rule: 'queue:unverifiable',
        })
    }
  }

  async #choose(): Promise<Choice | undefined> {
    const pool = this.#pool
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
    if (this.#inProcess) {
      const { judge } = this.#inProcess
      const verdict = judge.unadmitted(failure, outlook)
      if (verdict.action === 'retry') {
        judge.admissionWaits++
        await this.#wait(verdict.delayMs)
        return undefined
      }
    }
    // Somebody was tried before in this run: its failure is what the run ends with, counted as always.
    if (this.#last && this.#tried.size > 0) {
      const lifted = this.#history.lifted(this.#last.failure)
      const verdict = this.#judge.verdict(lifted, outlook)
      if (verdict.action !== 'failover') return this.#settle(verdict, undefined, this.#last.cause)
    }
    await blocks.sync()
    const verdict = this.#judge.unadmitted(failure, outlook)
    if (verdict.action === 'park' || verdict.action === 'cancel') return this.#settle(verdict)
    const planned = availableAt ?? (verdict.action === 'snooze' ? verdict.until : 0)
    const dueAt = Math.max(planned, this.#now + SHORTEST_WAIT_MS)
    const mode = this.#resume ? 'resume' : 'again'
    return this.#release({ dueAt, mode }, `no provider admits it: ${failure.message}`)
  }

  async #try(permit: Permit | undefined): Promise<RunEnd | undefined> {
    const { surroundings, claimed } = this.#options
    const attempt = new OneTry({
      surroundings,
      capability: this.#capability,
      params: this.#params,
      run: claimed,
      attempts: this.#history.attempts,
      permit,
      isPool: this.#pool.length > 1,
      resume: this.#resume,
      remainingMs: this.#inProcess?.budget.remainingMs ?? Infinity,
      signal: this.#signal,
      recorder: this.#recorder,
    })
    const outcome = await attempt.do()
    await this.#recorder.written()
    this.#history.session = attempt.sessionId ?? this.#history.session
    const context = {
      ...surroundings.classify,
      now: this.#now,
      ...(attempt.provider === undefined ? {} : { provider: attempt.provider }),
    }
    const failure = workFailure(outcome, context, this.#mask)
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
    const { surroundings } = this.#options
    const circumstances = this.#judge.circumstances()
    const context = { params: this.#params, circumstances, signal: this.#signal }
    const answer = await askResult(this.#capability, value, context, this.#hookTools)
    if (answer === undefined) return this.#succeed(value, attempt.attempt(undefined, undefined, this.#note))
    if (isFailed(answer)) {
      const { provider } = attempt
      const about = {
        ...surroundings.classify,
        now: this.#now,
        ...(provider === undefined ? {} : { provider }),
      }
      const input = this.#mask.value(answer.failed)
      const failure =
        classify(input, about) ?? (classify(new Error('its result was refused'), about) as Failure)
      return this.#failed(this.#mask.failure(failure), answer.failed, attempt, undefined)
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
    const lifted = this.#history.lifted(failure)
    this.#isDecidedInProcess = false
    if (this.#inProcess) {
      const { health } = this.#options.surroundings
      const mayRetry =
        permit &&
        (() => (health.mayRetry(permit.provider) ? undefined : `most calls to ${permit.provider} fail`))
      const verdict = this.#inProcess.judge.verdict(lifted, outlook, mayRetry)
      this.#isDecidedInProcess = verdict.action === 'retry' || verdict.action === 'failover'
      if (this.#isDecidedInProcess) return verdict
    }
    return this.#judge.verdict(lifted, outlook)
  }

  /** What the capability says about it. */
  async #asked(verdict: Verdict, failure: Failure, outlook: Outlook): Promise<Verdict> {
    const circumstances = this.#judge.circumstances(outlook)
    const context = { params: this.#params, circumstances, signal: this.#signal }
    const changed = await askFailure(this.#capability, failure, verdict, context, this.#hookTools)
    return changed ? this.#judge.bounded(changed, this.#history.lifted(failure), circumstances) : verdict
  }

  async #act(
    verdict: Verdict,
    attempt: NewAttempt,
    failure: Failure | undefined,
    cause: unknown,
  ): Promise<RunEnd | undefined> {
    const goesOn = this.#goesOn(verdict)
    if (verdict.action === 'failover' && !goesOn)
      return this.#release({ dueAt: this.#now, attempt }, verdict.reason)
    if (verdict.action !== 'failover' && !goesOn)
      return this.#settle(this.#notBefore(verdict, attempt), attempt, cause)
    if (!(await this.#append(attempt))) return { end: 'lost' }
    this.#again = undefined
    this.#resume = undefined
    if (verdict.action !== 'retry') return undefined
    this.#counters.retries++
    if (this.#inProcess) this.#inProcess.judge.retries++
    this.#again = attempt.provider
    const { session } = this.#history
    if (verdict.mode === 'resume' && session !== undefined)
      this.#resume = { sessionId: session, ...(failure ? { failure } : {}) }
    await this.#wait(verdict.delayMs)
    return undefined
  }

  /** Whether the verdict is a further try of this very run. */
  #goesOn(verdict: Verdict): boolean {
    if (!this.#inProcess) return verdict.action === 'failover'
    const { remainingMs, minRetryMs } = this.#inProcess.budget
    if (verdict.action === 'failover') return remainingMs > minRetryMs
    const fits = verdict.action === 'retry' && verdict.delayMs < remainingMs && remainingMs > minRetryMs
    return fits && this.#isDecidedInProcess
  }

  /** A retry that has to be verified waits at least until it makes sense to ask. */
  #notBefore(verdict: EndingVerdict, attempt: NewAttempt): EndingVerdict {
    if (verdict.action !== 'retry' || verdict.mode === 'resume' || this.#capability.retry !== 'verify_first')
      return verdict
    const at = verifyNotBefore(this.#capability, [...this.#history.open, attempt])
    return { ...verdict, delayMs: Math.max(verdict.delayMs, at - this.#now) }
  }

  /** The run must end, whatever it was doing: it was lost, cancelled, or its runner stops. */
  async #interrupted(attempt?: NewAttempt, failure?: Failure): Promise<RunEnd> {
    const why = this.#signal.reason as Interruption | unknown
    if (why === 'lost') return { end: 'lost' }
    if (why === 'stop') {
      const isCut = failure !== undefined && failure.effect !== 'none'
      const session = this.#history.session
      const mode =
        this.#capability.resumable && session !== undefined && (isCut || this.#resume) ? 'resume' : 'again'
      return this.#release({ mode, ...(attempt ? { attempt } : {}) }, 'its runner stopped')
    }
    const reason = 'it was cancelled while it ran'
    const verdict: Verdict = { action: 'cancel', as: 'cancelled', reason, rule: 'queue:cancelled' }
    return this.#settle(verdict, attempt && { ...attempt, verdict }, failure)
  }

  async #wait(ms: number): Promise<void> {
    // An abort is seen at the top of the loop.
    await sleep(this.#options.surroundings.time, ms, this.#signal).catch(() => {})
  }

  async #outlook(after: Failure): Promise<Outlook> {
    const pool = this.#pool
    if (pool.length === 0) return { otherProviderAvailable: false }
    return this.#options.surroundings.health.outlook({ pool, tried: this.#tried, after })
  }

  async #succeed(value: unknown, attempt: NewAttempt): Promise<RunEnd> {
    const { surroundings, claimed } = this.#options
    const { resultLimitBytes, resultFolder } = surroundings.settings
    const result = await storeResult(value, {
      operation: claimed.operation.id,
      run: claimed.fence.run,
      mask: this.#mask,
      ...(resultLimitBytes === undefined ? {} : { limitBytes: resultLimitBytes }),
      ...(resultFolder === undefined ? {} : { folder: resultFolder }),
    })
    const settlement: Settlement = { succeeded: true, ...(result === undefined ? {} : { result }), attempt }
    const settled = await surroundings.engine.settle(claimed.fence, settlement)
    return settled.settled ? { end: 'succeeded', value } : { end: 'lost' }
  }

  async #settle(given: EndingVerdict, attempt?: NewAttempt, cause?: unknown): Promise<RunEnd> {
    const { surroundings, claimed } = this.#options
    const verdict = given.action === 'cancel' ? given : (this.#notHandedOver(given.reason) ?? given)
    const settlement: Settlement = { verdict, ...(attempt ? { attempt: { ...attempt, verdict } } : {}) }
    const settled = await surroundings.engine.settle(claimed.fence, settlement)
    return settled.settled ? { end: 'settled', verdict, settled, cause } : { end: 'lost' }
  }

  async #release(handBack: HandBack, reason: string): Promise<RunEnd> {
    const { surroundings, claimed } = this.#options
    const refused = this.#notHandedOver(reason)
    if (refused) return this.#settle(refused, handBack.attempt)
    const settled = await surroundings.engine.release(claimed.fence, handBack)
    if (!settled.settled) return { end: 'lost' }
    return { end: 'released', dueAt: settled.dueAt ?? this.#now, reason }
  }

  /** Where nothing is to be handed over, what the process of the caller could do was all there is. */
  #notHandedOver(reason: string): Extract<Verdict, { action: 'cancel' }> | undefined {
    if (this.#options.budgetMs === undefined || this.#options.surroundings.settings.enabled) return undefined
    const why = `${reason}; nothing is handed over, because the queue is not enabled`
    return { action: 'cancel', as: 'exhausted', reason: why, rule: 'queue:disabled' }
  }

  /** False if the run is stale. */
  async #append(attempt: NewAttempt, lostRunner = false): Promise<boolean> {
    const { surroundings, claimed } = this.#options
    const appended = await surroundings.engine.append(claimed.fence, attempt, { lostRunner })
    if (appended.settled) this.#history?.add(attempt, claimed.fence.run)
    return appended.settled
  }

  #callJudge(budgetMs: number): { judge: Judge; budget: Budget } {
    const { surroundings } = this.#options
    const { time, random, settings } = surroundings
    const budget = new Budget(time, {
      budgetMs,
      maxCostUsd: Infinity,
      minRetryBudgetMs: undefined,
      minRetryDefaultMs: MIN_RETRY_BUDGET_DEFAULT_MS,
    })
    const most = this.#capability.maxRetries
    const judge = new Judge(
      {
        budgetMs,
        ...(most === undefined ? {} : { maxRetries: Math.min(most, settings.maxRetries) }),
        ...secondTryCircumstances(this.#capability),
        policy: surroundings.policies(this.#capability, this.#pool[0]),
        onPolicyProblem: problem => surroundings.report({ about: 'policy', problem }),
        signal: this.#signal,
        random,
      },
      time,
      budget,
    )
    return { judge, budget }
  }

  get #hookTools() {
    const { surroundings } = this.#options
    const report = (problem: Parameters<Parameters<typeof askFailure>[4]['report']>[0]) =>
      surroundings.report({ about: 'hook', problem })
    return { report, mask: this.#mask, time: surroundings.time }
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

function causeOf(outcome: WorkOutcome): unknown {
  return outcome.ended === 'returned' ? outcome.value : 'error' in outcome ? outcome.error : outcome.reason
}
