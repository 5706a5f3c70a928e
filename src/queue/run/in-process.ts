import { Budget } from '../../call/budget.ts'
import { Judge } from '../../call/judge.ts'
import type { Capability } from '../../capability/capability.ts'
import { secondTryCircumstances } from '../../capability/retry-policy.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Outlook, Permit } from '../../provider/gate.ts'
import type { Circumstances } from '../../verdict/circumstances.ts'
import { answerTo, decide } from '../../verdict/decide.ts'
import type { PolicyAnswer, PolicyProblem } from '../../verdict/policy.ts'
import { isSucceeded } from '../../verdict/succeeded.ts'
import { retryBounds } from '../bounds.ts'
import type { QueueDeps } from '../queue-deps.ts'
import type { Counters } from './counters.ts'

/** The tries that the caller of `run` waits for: judged as those of a call, within one short budget. */
export class InProcess {
  readonly #deps: QueueDeps
  readonly #judge: Judge
  readonly #budget: Budget
  readonly #capability: Capability
  /** What is left for waits between tries, in milliseconds. */
  #waitHereMs: number

  constructor(
    deps: QueueDeps,
    capability: Capability,
    counters: Counters,
    { budgetMs, waitHereMs = Infinity }: { budgetMs: number; waitHereMs?: number | undefined },
    signal: AbortSignal,
  ) {
    const { time, random, settings } = deps
    const { maxRetries, isAsked } = retryBounds(counters, capability, settings)
    this.#deps = deps
    this.#capability = capability
    this.#waitHereMs = waitHereMs
    this.#budget = new Budget(time, { budgetMs })
    this.#judge = new Judge(
      {
        budgetMs,
        ...(isAsked ? { maxRetries: Math.min(maxRetries, settings.maxRetries) } : {}),
        ...secondTryCircumstances(capability),
        policy: (failure, circumstances) => this.#decide(failure, circumstances),
        signal,
        random,
      },
      time,
      this.#budget,
    )
  }

  get remainingMs(): number {
    return this.#budget.remainingMs
  }

  /** A verdict that this process can act on; undefined if the failure is to be decided as durable. */
  verdict(failure: Failure, outlook: Outlook, permit: Permit | undefined): PolicyAnswer | undefined {
    const { health } = this.#deps
    const mayRetry =
      permit &&
      (() => (health.mayRetry(permit.provider) ? undefined : `most calls to ${permit.provider} fail`))
    const verdict = this.#judge.answer(failure, outlook, mayRetry)
    if (isSucceeded(verdict)) return verdict
    if (verdict.action === 'retry') return verdict.delayMs <= this.#waitHereMs ? verdict : undefined
    return verdict.action === 'failover' ? verdict : undefined
  }

  /** How long to wait for somebody who admits, in milliseconds; undefined if that is too long for this process. */
  waitForAdmission(failure: Failure, outlook: Outlook): number | undefined {
    const verdict = this.#judge.unadmitted(failure, outlook)
    if (verdict.action !== 'retry' || verdict.delayMs > this.#waitHereMs) return undefined
    this.#judge.admissionWaits++
    this.#waitHereMs -= verdict.delayMs
    return verdict.delayMs
  }

  /** Whether a further try after this wait is still one of this process. */
  fits(delayMs: number): boolean {
    const { remainingMs, minRetryMs } = this.#budget
    return remainingMs > minRetryMs && delayMs < remainingMs && delayMs <= this.#waitHereMs
  }

  /** A further try is made here after this wait. */
  retried(delayMs: number): void {
    this.#judge.retries++
    this.#waitHereMs -= delayMs
  }

  /** Which levels there are depends on the provider that failed. A wait that is too long for this process is none of its retries. */
  #decide(failure: Failure, circumstances: Circumstances): PolicyAnswer {
    const levels = this.#deps.policies(this.#capability, failure.provider)
    const report = (problem: PolicyProblem) => this.#deps.report({ about: 'policy', problem })
    const verdict = answerTo(failure, circumstances, levels, report)
    if (isSucceeded(verdict) || verdict.action !== 'retry' || verdict.delayMs <= this.#waitHereMs)
      return verdict
    return decide(failure, { ...circumstances, maxRetries: circumstances.retries }, levels, report)
  }
}
