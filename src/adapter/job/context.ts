import type { WorkContext } from '../../capability/context.ts'
import type { Failed, HookContext } from '../../capability/hooks.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Succeeded } from '../../verdict/succeeded.ts'
import type { Verdict } from '../../verdict/verdict.ts'

/** Which job of which engine it is. */
export interface JobInfo {
  /** The engine's id of the job. */
  readonly jobId: string
  /** Where the engine keeps it: a queue, a task, a function. */
  readonly queue: string
  /** Name of the engine, such as `bullmq`. */
  readonly engine: string
  /** The job as the engine hands it out. */
  readonly job: unknown
}

/** What the work of a worker is given beside its data: what capabilities get, and which job it is. */
export type JobContext = WorkContext & JobInfo

/** What a hook of a worker may know: the job's id, the number of the try, the data of the job, and what was decided on. */
export type JobHookContext<D> = Omit<HookContext<D>, 'operationId' | 'context' | 'session'> & JobInfo

/**
 * Sees a result before it counts. Answers nothing to let it, `{succeeded, reason}` for another result, `{failed}` to have it
 * treated as a failure, or a verdict.
 */
export type HandleJobResult<D, R> = Hook<
  [result: R, context: JobHookContext<D>],
  Failed | Succeeded | Verdict | undefined
>

/** Sees a failure and its verdict. Answers nothing to let it stand, another verdict, or `{succeeded, reason}` with the result. */
export type HandleJobFailure<D> = Hook<
  [failure: Failure, verdict: Verdict, context: JobHookContext<D>],
  Succeeded | Verdict | undefined
>

/** Written as a method, so that a worker of certain data is also one of any. */
type Hook<A extends unknown[], T> = { ask(...args: A): T | Promise<T> }['ask']
