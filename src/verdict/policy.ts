import type { Failure } from '../failure/failure.ts'
import type { Circumstances } from './circumstances.ts'
import type { Succeeded } from './succeeded.ts'
import type { Verdict } from './verdict.ts'

/** What a failure means for the health of the provider that failed. */
export interface HealthMark {
  /** `half` counts as half a failure, `trip` opens the breaker at once. */
  breaker: 'none' | 'half' | 'failure' | 'trip'
  /** How long to block the provider: until this time in epoch milliseconds, or until cleared. Default: not blocked. */
  blockUntil?: number | 'cleared'
  /** Show the usage windows as full until the block ends; recorded spending is not changed. Default false. */
  fillWindows?: boolean
  /** The block is of the called tool alone, not of its MCP server; nothing else is counted. Default false. */
  ofTool?: boolean
  /** The block is of the called model alone, until a second model is refused in the same way. Default false. */
  ofModel?: boolean
  /**
   * Let calls through one after another, after a short pause that grows only while they are refused again. With
   * `blockUntil`, from then on. Default false.
   */
  pace?: boolean
}

/** Decides about failures: what to do, and what it means for the provider's health. Must be pure. */
export interface Policy {
  /** Its name in reports. */
  name: string
  verdict(failure: Failure, circumstances: Circumstances): Verdict
  health(failure: Failure, circumstances: Circumstances): HealthMark
}

/** What a policy may answer: a verdict, or that the work succeeded after all. */
export type PolicyAnswer = Verdict | Succeeded

/**
 * A policy as users write it. It may answer `undefined` to leave a failure to the next level, or that the work succeeded
 * after all, with a result.
 */
export interface AnsweringPolicy {
  /** Its name in reports. */
  name: string
  verdict(failure: Failure, circumstances: Circumstances): PolicyAnswer | undefined
  health(failure: Failure, circumstances: Circumstances): HealthMark | undefined
}

/** A policy, part of one, or a bare function, which replaces the verdict and leaves health to the next level. */
export type PolicyLike = Partial<AnsweringPolicy> | AnsweringPolicy['verdict']

/** Reports a policy or a classifier that gave no usable answer. The next level decided. */
export interface PolicyProblem {
  /** Its name. */
  policy: string
  /** What it was asked for. */
  member: 'verdict' | 'health' | 'classifier'
  problem: string
}
