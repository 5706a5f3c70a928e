import type { Failure } from '../failure/failure.ts'
import type { Circumstances } from '../verdict/circumstances.ts'
import type { Succeeded } from '../verdict/succeeded.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { PastAttempt } from './context.ts'

/** What a hook gets. */
export interface HookContext<P> {
  /** As the work gets them: parsed by the schema, secrets in plain text. */
  params: P
  /** The circumstances of the verdict. */
  circumstances: Circumstances
  /** Aborted when the run is. */
  signal: AbortSignal
  /** The operation it is about. */
  operationId: string
  /** Number of the run, counted from 1. */
  run: number
  /** Number of the try, counted from 1 over all runs of the operation. */
  attempt: number
  /** The tries before it, oldest first. */
  attempts: readonly PastAttempt[]
  /** The provider that served the try; undefined without one. */
  provider: string | undefined
  /** The submitter's own data; undefined if there is none. */
  context: unknown
  /** The session that requested the operation; undefined if there is none. */
  session: string | undefined
}

/** Turns a result into a failure; the policy decides about it. */
export interface Failed {
  /** Anything that `classify` takes. */
  failed: unknown
}

/**
 * Sees a result before it counts. Returns undefined to accept it, `{succeeded, reason}` for another result, `{failed}` to treat
 * it as a failure, or a verdict.
 */
export type HandleResult<P, R> = Hook<
  [result: R, context: HookContext<P>],
  Failed | Succeeded | Verdict | undefined
>

/** Sees a failure and its verdict. Returns undefined to accept it, another verdict, or `{succeeded, reason}` with a result. */
export type HandleFailure<P> = Hook<
  [failure: Failure, verdict: Verdict, context: HookContext<P>],
  Succeeded | Verdict | undefined
>

/** A method type, so that a capability with specific parameters fits where any does. */
export type Hook<A extends unknown[], T> = { ask(...args: A): T | Promise<T> }['ask']
