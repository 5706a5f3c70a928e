import type { EngineDesk, HandedBack, StateInEngine } from '../citizen/desk.ts'
import { asObject, startNumber } from '../job/record.ts'

/** Gives jobs back to a queue of pg-boss. */
export function pgBossDesk(boss: PgBossClient, queue: string): EngineDesk {
  const find = async (id: string) => (await boss.findJobs(queue, { id }))[0]
  return {
    engine: 'pg-boss',
    queue,
    async resume(given) {
      const { jobId: id, data, isEdited, start } = given
      const job = await find(id)
      if (!job) return addAgain(boss, queue, given)
      if (job.state === 'active') return startNumber(job.data, job.retryCount + 1) > start
      // Each does nothing to a job that another worker moved meanwhile.
      if (job.state === 'failed') await boss.retry(queue, id)
      else if (job.state === 'cancelled') await boss.resume(queue, id)
      if (job.state !== 'completed')
        await boss.update(queue, isEdited ? data(job.data) : undefined, { id, startAfter: new Date() })
      return true
    },
    async cancel({ jobId }) {
      if (await find(jobId)) await boss.cancel(queue, jobId)
      return true
    },
    async state(jobId): Promise<StateInEngine> {
      const job = await find(jobId)
      if (!job) return { state: 'gone' }
      // Its output may be that of all jobs fetched together.
      if (job.state === 'completed') return { state: 'done' }
      if (job.state !== 'failed' && job.state !== 'cancelled') return { state: 'waiting' }
      return { state: 'failed', reason: String(asObject(job.output)?.message ?? job.state) }
    },
  }
}

/** The id makes pg-boss add it once. */
async function addAgain(
  boss: PgBossClient,
  queue: string,
  { jobId, data, again }: HandedBack,
): Promise<boolean> {
  await boss.send(queue, data(), { ...asObject(again), id: jobId })
  return true
}

/** The part of pg-boss that the adapter uses to settle a job. */
export interface PgBossClient {
  getDb(): {
    beginTransaction?(): Promise<{
      db: PgBossDatabase
      commit(): Promise<void>
      rollback(): Promise<void>
    }>
  }
  findJobs(queue: string, options: { id: string }): Promise<readonly PgBossStored[]>
  complete(
    queue: string,
    job: string | Attempt,
    output?: object,
    options?: Within & { includeQueued: boolean },
  ): Promise<unknown>
  cancel(queue: string, job: string | Attempt, options?: Within): Promise<Affected>
  resume(queue: string, id: string, options?: Within): Promise<Affected>
  retry(queue: string, id: string): Promise<unknown>
  send(queue: string, data: object, options: object): Promise<unknown>
  fail(queue: string, job: string | Attempt, output: object, options: Within): Promise<Affected>
  update(
    queue: string,
    data: object | undefined,
    options: Partial<Within> & { id: string; startAfter?: Date; retryLimit?: number },
  ): Promise<unknown>
}

/** The part of a stored pg-boss job that the adapter uses. */
export interface PgBossStored {
  state: string
  data: unknown
  retryCount: number
  retryLimit: number
  output?: unknown
}

/** A connection with an open transaction. */
export interface PgBossDatabase {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

export interface Attempt {
  id: string
  retryCount: number
}

export interface Within {
  // biome-ignore lint/suspicious/noExplicitAny: rows of pg-boss are of any type
  db: { executeSql(text: string, values?: unknown[]): Promise<{ rows: any[] }> }
}

export type Affected = { affected?: number } | undefined
