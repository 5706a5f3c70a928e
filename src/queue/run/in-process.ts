import { Budget } from '../../call/budget.ts'
import { Judge } from '../../call/judge.ts'
import { type Capability, secondTryCircumstances } from '../../capability/index.ts'
import type { Failure } from '../../failure/index.ts'
import type { Outlook, Permit } from '../../provider/index.ts'
import { decide, type PolicyProblem, type Verdict } from '../../verdict/index.ts'
import { retryBounds } from '../bounds.ts'
import type { Surroundings } from '../surroundings.ts'
import type { Counters } from './counters.ts'

/** The tries that the caller of `run` waits for: judged as those of a call, within one short budget. */
export class InProcess {
  readonly #surroundings: Surroundings
  readonly #judge: Judge
  readonly #budget: Budget

  constructor(
    surroundings: Surroundings,
    capability: Capability,
    counters: Counters,
    budgetMs: number,
    signal: AbortSignal,
  ) {
    const { time, random, settings } = surroundings
    const report = (problem: PolicyProblem) => surroundings.report({ about: 'policy', problem })
    const { maxRetries, isAsked } = retryBounds(counters, capability, settings)
    this.#surroundings = surroundings
    this.#budget = new Budget(time, { budgetMs })
    this.#judge = new Judge(
      {
        budgetMs,
        ...(isAsked ? { maxRetries: Math.min(maxRetries, settings.maxRetries) } : {}),
        ...secondTryCircumstances(capability),
        // Which levels there are depends on the provider that failed.
        policy: (failure, circumstances) =>
          decide(failure, circumstances, surroundings.policies(capability, failure.provider), report),
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
  verdict(failure: Failure, outlook: Outlook, permit: Permit | undefined): Verdict | undefined {
    const { health } = this.#surroundings
    const mayRetry =
      permit &&
      (() => (health.mayRetry(permit.provider) ? undefined : `most calls to ${permit.provider} fail`))
    const verdict = this.#judge.verdict(failure, outlook, mayRetry)
    return verdict.action === 'retry' || verdict.action === 'failover' ? verdict : undefined
  }

  /** How long to wait for somebody who admits, in milliseconds; undefined if that is too long for this process. */
  waitForAdmission(failure: Failure, outlook: Outlook): number | undefined {
    const verdict = this.#judge.unadmitted(failure, outlook)
    if (verdict.action !== 'retry') return undefined
    this.#judge.admissionWaits++
    return verdict.delayMs
  }

  /** Whether a further try after this wait is still one of this process. */
  fits(delayMs: number): boolean {
    const { remainingMs, minRetryMs } = this.#budget
    return remainingMs > minRetryMs && delayMs < remainingMs
  }

  retried(): void {
    this.#judge.retries++
  }
}
