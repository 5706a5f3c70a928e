import type { Failure } from '../failure/failure.ts'
import type { Circumstances } from './circumstances.ts'
import type { Succeeded } from './succeeded.ts'
import type { Verdict } from './verdict.ts'

/** What a failure means for the health of the provider that failed. */
export interface HealthMark {
  /** `half` counts as half a failure, `trip` opens the breaker at once. */
  breaker: 'none' | 'half' | 'failure' | 'trip'
  /** Epoch milliseconds, or until it is cleared. */
  blockUntil?: number | 'cleared'
  /** Show the windows as full until the block ends; what was spent stays as it is. Default false. */
  fillWindows?: boolean
}

/** The function from a failure and its circumstances to what is done about it. Must be pure. */
export interface Policy {
  /** What it is called in reports. */
  name: string
  verdict(failure: Failure, circumstances: Circumstances): Verdict
  health(failure: Failure, circumstances: Circumstances): HealthMark
}

/** What a policy may answer: a verdict, or that it has succeeded after all. */
export type PolicyAnswer = Verdict | Succeeded

/**
 * A policy as users may write it: it may leave a failure to the next level by answering `undefined`, and may know that
 * the work has succeeded after all, and with what.
 */
export interface AnsweringPolicy {
  /** What it is called in reports. */
  name: string
  verdict(failure: Failure, circumstances: Circumstances): PolicyAnswer | undefined
  health(failure: Failure, circumstances: Circumstances): HealthMark | undefined
}

/** A policy, a part of one, or a bare function, which replaces the verdict and leaves health to the next level. */
export type PolicyLike = Partial<AnsweringPolicy> | AnsweringPolicy['verdict']

/** A policy or a classifier that gave no usable answer: the next level decides, and this is reported. */
export interface PolicyProblem {
  /** Its name. */
  policy: string
  /** What it was asked for. */
  member: 'verdict' | 'health' | 'classifier'
  problem: string
}
