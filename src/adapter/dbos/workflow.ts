import type { EngineDesk } from '../citizen/desk.ts'
import { durableDesk, wakeTopic } from '../job/durable-desk.ts'
import { performDurably } from '../job/durable-loop.ts'
import type { JobWorker } from '../job/worker.ts'

/** The part that is used of `DBOS`, the class of `@dbos-inc/dbos-sdk`. */
export interface DbosClient {
  readonly workflowID: string | undefined
  runStep<T>(work: () => Promise<T>, config?: { name?: string }): Promise<T>
  sleepms(ms: number): Promise<void>
  now(): Promise<number>
  recv(topic: string, timeoutSeconds: number): Promise<unknown>
  send(workflow: string, message: unknown, topic: string, idempotencyKey: string): Promise<void>
  getWorkflowStatus(workflow: string): Promise<{ status: string; error?: unknown; output?: unknown } | null>
}

function dbosDesk(dbos: DbosClient, queue: string): EngineDesk {
  return durableDesk('dbos', queue, {
    wake: (id, start) => dbos.send(id, 'go on', wakeTopic(start), `${id} ${wakeTopic(start)}`),
    state: async id => {
      const found = await dbos.getWorkflowStatus(id)
      if (!found) return { state: 'gone' }
      const { status, error, output } = found
      if (status === 'SUCCESS') return { state: 'done', value: output }
      const hasEnded = status !== 'PENDING' && status !== 'ENQUEUED'
      return hasEnded
        ? { state: 'failed', reason: (error as Error)?.message ?? status }
        : { state: 'waiting' }
    },
  })
}

/**
 * A DBOS workflow that runs a worker: `DBOS.registerWorkflow(dbosWorkflow(worker, DBOS), { name: 'review' })`. Each try
 * is a step, each wait a durable sleep, and a parked job of a connected worker waits for a message. Rejects with a {@link JobError} if the job ends without success.
 */
export function dbosWorkflow<D, R>(worker: JobWorker<D, R>, dbos: DbosClient): (data: D) => Promise<R> {
  worker.attend(dbosDesk(dbos, worker.name))
  return async data => {
    const jobId = dbos.workflowID ?? ''
    const end = await performDurably(
      worker,
      { engine: 'dbos', queue: worker.name, jobId, job: { workflowID: jobId }, data },
      {
        run: (name, work) => dbos.runStep(work, { name }),
        sleepUntil: async (_name, at) => dbos.sleepms(Math.max(1, at - (await dbos.now()))),
        sleepOrWake: async (_name, at, start) =>
          dbos.recv(wakeTopic(start), Math.max(1, (at - (await dbos.now())) / 1_000)),
        // A workflow stays in one process until that dies; then another continues from the remembered steps.
        isContinuous: true,
      },
    )
    if ('error' in end) throw end.error
    return end.outcome.value as R
  }
}
