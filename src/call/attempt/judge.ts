import type { Failure } from '../../failure/failure.ts'
import type { Cost, Outlook, Permit } from '../../provider/gate.ts'
import type { Circumstances } from '../../verdict/circumstances.ts'
import { answerTo, decide, markOf, type Policies } from '../../verdict/decide.ts'
import type { HealthMark, PolicyProblem } from '../../verdict/policy.ts'
import { isSucceeded, type Succeeded } from '../../verdict/succeeded.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { type Bound, type BoundBy, boundOf, type Limits } from './bounds.ts'

/** What a judge works with: everything in which calls and operations differ. */
export interface Judging {
  /** Prefix for the rules of the judge's own verdicts. */
  rules: 'call' | 'queue' | 'job'
  /** Policies for a failure, the most specific first. The default policy comes last. */
  policies(failure: Failure): Policies | undefined
  /** The current circumstances. */
  circumstances(outlook: Outlook): Circumstances
  /** The current limits. */
  limits(): Limits
  /** Called for a policy that gave no usable answer. */
  readonly report: (problem: PolicyProblem) => void
}

/** A verdict that can be acted on, and the bound that overruled the policy's own, if one did. */
export interface Judgement {
  verdict: Verdict
  boundBy?: BoundBy
}

export const NO_OTHER_PROVIDER: Outlook = { otherProviderAvailable: false }

/** Asks the policies on behalf of one call or operation, and keeps every answer within its bounds. */
export class Judge {
  readonly #judging: Judging

  constructor(judging: Judging) {
    this.#judging = judging
  }

  circumstances(outlook: Outlook = NO_OTHER_PROVIDER): Circumstances {
    return this.#judging.circumstances(outlook)
  }

  /**
   * What the failure means for the provider it happened with.
   * @param standing the provider's record so far
   */
  health(failure: Failure, standing?: ReturnType<NonNullable<Permit['standing']>>): HealthMark {
    const policies = this.#judging.policies(failure)
    return markOf(failure, { ...this.circumstances(), ...standing }, policies, this.#judging.report)
  }

  verdict(failure: Failure, circumstances: Circumstances = this.circumstances()): Verdict {
    return this.bounded(this.#unbounded(failure, circumstances), failure, circumstances).verdict
  }

  /** The verdict on a failed attempt, and the bound that overruled the policy's own. A policy may also answer that it succeeded. */
  judge(failure: Failure, outlook?: Outlook, refuseRetry?: Limits['refuseRetry']): Judgement | Succeeded {
    const circumstances = this.circumstances(outlook)
    const { report } = this.#judging
    const answer = answerTo(failure, circumstances, this.#judging.policies(failure), report)
    return isSucceeded(answer) ? answer : this.bounded(answer, failure, circumstances, refuseRetry)
  }

  /** What to do with work that no provider admits. No try was made, so nothing is counted and no bound applies. */
  refused(failure: Failure, outlook: Outlook): Verdict {
    const uncounted = { retries: 0, maxRetries: Infinity, snoozes: 0, remainingMs: Infinity }
    return this.#unbounded(failure, { ...this.circumstances(outlook), ...uncounted })
  }

  /** What the policies say, before any bound applies. */
  #unbounded(failure: Failure, circumstances: Circumstances): Verdict {
    return decide(failure, circumstances, this.#judging.policies(failure), this.#judging.report)
  }

  /** @param failure undefined if the verdict is about a result */
  bounded(
    verdict: Verdict,
    failure: Failure | undefined,
    circumstances: Circumstances,
    refuseRetry?: Limits['refuseRetry'],
  ): Judgement {
    const bound = boundOf(verdict, failure, circumstances, { ...this.#judging.limits(), refuseRetry })
    if (!bound) return { verdict }
    const otherwise = this.#otherwise(bound, failure, circumstances)
    return { verdict: otherwise ?? this.#cancelled(bound, failure), boundBy: bound.by }
  }

  /** The policy's answer once it knows the bound; undefined if it knows no other way, or insists. */
  #otherwise(
    { instead, why }: Bound,
    failure: Failure | undefined,
    circumstances: Circumstances,
  ): Verdict | undefined {
    if (!instead || !failure) return undefined
    const verdict = this.#unbounded(failure, { ...circumstances, ...instead })
    const isPossible =
      verdict.action !== 'retry' && (verdict.action !== 'failover' || circumstances.otherProviderAvailable)
    return isPossible ? { ...verdict, reason: `${verdict.reason}; ${why}` } : undefined
  }

  #cancelled({ as, why }: Bound, failure: Failure | undefined): Verdict {
    const reason = failure ? `${failure.kind}: ${why}` : why
    return { action: 'cancel', as, reason, rule: `${this.#judging.rules}:${as}` }
  }
}

/**
 * Returns the permit of a failed try, with what the failure means for its provider. An abort, or a limit set on purpose, is not
 * the provider's fault.
 */
export function reportFailure(permit: Permit, failure: Failure, judge: Judge, cost?: Cost): void {
  if (failure.class === 'aborted' || failure.class === 'rail') permit.released(cost)
  else permit.failed(failure, judge.health(failure, permit.standing?.(failure)), cost)
}
