import type { WorkContext } from '../../capability/context.ts'
import type { Failed, HookContext } from '../../capability/hook.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Succeeded } from '../../verdict/succeeded.ts'
import type { Verdict } from '../../verdict/verdict.ts'

/** Identifies a job of an engine. */
export interface JobInfo {
  /** The engine's id for the job. */
  readonly jobId: string
  /** The engine's queue, task or function. */
  readonly queue: string
  /** Name of the engine, such as `bullmq`. */
  readonly engine: string
  /** The engine's job object. */
  readonly job: unknown
}

/** Second argument of a worker's `run`: the context that capabilities get, and the job. */
export type JobContext = WorkContext & JobInfo

/** Context of a worker's hooks: the job, its data, the number of the try and the circumstances of the verdict. */
export type JobHookContext<D> = Omit<HookContext<D>, 'operationId' | 'context' | 'session'> & JobInfo

/**
 * Called with a result before it counts. Returns nothing to accept it, `{succeeded, reason}` for another result,
 * `{failed}` to treat it as a failure, or a verdict.
 */
export type HandleJobResult<D, R> = Hook<
  [result: R, context: JobHookContext<D>],
  Failed | Succeeded | Verdict | undefined
>

/** Called with a failure and its verdict. Returns nothing to accept them, another verdict, or `{succeeded, reason}` with a result. */
export type HandleJobFailure<D> = Hook<
  [failure: Failure, verdict: Verdict, context: JobHookContext<D>],
  Succeeded | Verdict | undefined
>

/** A method type, because methods are bivariant: a worker with specific data is then also one with any data. */
type Hook<A extends unknown[], T> = { ask(...args: A): T | Promise<T> }['ask']
