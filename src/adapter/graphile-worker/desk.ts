import type { EngineDesk, HandedBack, StateInEngine } from '../citizen/desk.ts'
import { asObject } from '../job/record.ts'

/** The part of graphile-worker's utilities that the adapter uses. */
export interface GraphileUtils {
  withPgClient<T>(work: (client: GraphileClient) => Promise<T>): Promise<T>
}

interface JobRow {
  id: string
  isLocked: boolean
  isFailed: boolean
  starts: number
  lastError: string | null
}

/**
 * Gives jobs back to a task of graphile-worker.
 * @param quoted the schema, quoted
 */
export function graphileDesk(utils: GraphileUtils, quoted: string, task: string): EngineDesk {
  const find = (client: GraphileClient, key: string) => rowOf(client, quoted, task, key)
  return {
    engine: 'graphile-worker',
    queue: task,
    resume: given =>
      utils.withPgClient(async client => {
        const { jobId, isEdited } = given
        const row = await find(client, jobId)
        if (!row) return addAgain(client, quoted, task, given)
        if (row.isLocked) return row.starts > given.start
        if (isEdited) return addAgain(client, quoted, task, given)
        // One attempt is used, so that the worker finds a job that failed, and starts it over.
        await client.query(
          `select 1 from ${quoted}.reschedule_jobs(array[$1::bigint], run_at => now(), attempts => $2)`,
          [row.id, row.isFailed ? 1 : null],
        )
        return true
      }),
    cancel: ({ jobId, start }, reason) =>
      utils.withPgClient(async client => {
        const row = await find(client, jobId)
        if (row?.isLocked) return row.starts > start
        if (row)
          await client.query(`select 1 from ${quoted}.permanently_fail_jobs(array[$1::bigint], $2)`, [
            row.id,
            reason,
          ])
        return true
      }),
    state: jobId =>
      utils.withPgClient(async (client): Promise<StateInEngine> => {
        const row = await find(client, jobId)
        // Graphile-worker deletes what succeeded.
        if (!row) return { state: 'done' }
        return row.isFailed && !row.isLocked
          ? { state: 'failed', reason: row.lastError ?? '' }
          : { state: 'waiting' }
      }),
  }
}

/** A job without a key of its own has one once it has failed; before that, its id is in the name. */
async function rowOf(
  client: GraphileClient,
  quoted: string,
  task: string,
  key: string,
): Promise<JobRow | undefined> {
  const id = /^mulligan:(\d+)$/.exec(key)?.[1] ?? null
  const { rows } = await client.query(
    `select j.id::text, j.locked_at is not null as "isLocked", j.attempts >= j.max_attempts as "isFailed", j.last_error as "lastError",
       j.attempts + coalesce((j.payload -> 'mulligan' ->> 'starts')::int, 0) as starts
     from ${quoted}._private_jobs j join ${quoted}._private_tasks t on t.id = j.task_id
     where t.identifier = $1 and (j.key = $2 or (j.key is null and j.id = $3::bigint)) order by j.key nulls last limit 1`,
    [task, key, id],
  )
  return rows[0] as unknown as JobRow | undefined
}

/** The key makes graphile-worker add it once. */
async function addAgain(
  client: GraphileClient,
  quoted: string,
  task: string,
  { jobId, data, again }: HandedBack,
): Promise<boolean> {
  const { queueName, maxAttempts, priority, flags } = asObject(again) ?? {}
  await client.query(
    `select 1 from ${quoted}.add_job(identifier => $1, payload => $2::json, queue_name => $3, max_attempts => $4,
       job_key => $5, priority => $6, flags => $7)`,
    [
      task,
      JSON.stringify(data()),
      queueName ?? null,
      maxAttempts ?? null,
      jobId,
      priority ?? null,
      flags ?? null,
    ],
  )
  return true
}

/** A connection to PostgreSQL. */
export interface GraphileClient {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
}
