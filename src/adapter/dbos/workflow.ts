import { performDurably } from '../job/durable-loop.ts'
import type { JobWorker } from '../job/worker.ts'

/** The part that is used of `DBOS`, the class of `@dbos-inc/dbos-sdk`. */
export interface DbosClient {
  readonly workflowID: string | undefined
  runStep<T>(work: () => Promise<T>, config?: { name?: string }): Promise<T>
  sleepms(ms: number): Promise<void>
  now(): Promise<number>
}

/**
 * A DBOS workflow that runs a worker: `DBOS.registerWorkflow(dbosWorkflow(worker, DBOS), { name: 'review' })`. Each try
 * is a step, each wait a durable sleep. Rejects with a {@link JobError} if the job ends without success.
 */
export function dbosWorkflow<D, R>(worker: JobWorker<D, R>, dbos: DbosClient): (data: D) => Promise<R> {
  return async data => {
    const jobId = dbos.workflowID ?? ''
    const end = await performDurably(
      worker,
      { engine: 'dbos', queue: worker.name, jobId, job: { workflowID: jobId }, data },
      {
        run: (name, work) => dbos.runStep(work, { name }),
        sleepUntil: async (_name, at) => dbos.sleepms(Math.max(1, at - (await dbos.now()))),
        // A workflow stays in one process until that dies; then another continues from the remembered steps.
        isContinuous: true,
      },
    )
    if ('error' in end) throw end.error
    return end.outcome.value as R
  }
}
