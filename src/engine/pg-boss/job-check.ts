import type { Sql } from '../../ledger/postgres/sql.ts'
import type { Waiting } from '../../ledger/postgres/touched.ts'
import { toId } from '../../ledger/row/rows.ts'
import type { Finding } from '../../ledger/upkeep.ts'
import { JOB_ID_SQL, type Jobs } from './jobs.ts'

/** Findings of a kind that are told. */
const TOLD = 20
/** Jobs mended in one transaction. */
const STEP = 500

const JOB = JOB_ID_SQL('o.id', 'o.run + 1')
const WAITS = `o.state = 'scheduled' AND o.held_by IS NULL`
const LIVE = `j.state < 'active'`

/** Operations that wait and have no job. */
const without = (
  schema: string,
) => `SELECT o.id, o.capability, o.run, o.rank, o.due_at AS "dueAt" FROM operations o
  WHERE ${WAITS} AND NOT EXISTS (SELECT 1 FROM ${schema}.job j WHERE j.id = ${JOB} AND ${LIVE})`

/** Jobs of operations that do not wait for that run. */
const stray = (
  schema: string,
) => `SELECT j.id, j.name, j.data ->> 'operation' AS operation FROM ${schema}.job j
  WHERE NOT EXISTS (SELECT 1 FROM operations o WHERE j.id = ${JOB} AND ${WAITS})`

/** Jobs that say another time or priority than their operation. */
const otherwise = (
  schema: string,
) => `SELECT o.id, o.capability, o.run, o.rank, o.due_at AS "dueAt" FROM operations o
  JOIN ${schema}.job j ON j.id = ${JOB} WHERE ${WAITS} AND ${LIVE} AND (j.priority <> 0 - o.rank
    OR abs(extract(epoch FROM j.start_after) * 1000 - o.due_at) >= 1)`

/** Proves that every operation that waits and is not held has exactly one job, that it says the same, and that no other has one. */
export async function checkJobs(sql: Sql, schema: string): Promise<Finding[]> {
  const missing = await sql.rows<Waiting>(`${without(schema)} LIMIT ${TOLD}`)
  const strays = await sql.rows<{ id: string; operation: string }>(`${stray(schema)} LIMIT ${TOLD}`)
  const wrong = await sql.rows<Waiting>(`${otherwise(schema)} LIMIT ${TOLD}`)
  return [
    ...missing.map(({ id, run }) => ({
      rule: 'waiting_has_job',
      message: `${toId(id)} waits for run ${run + 1}, and pg-boss has no job for it`,
    })),
    ...strays.map(({ id, operation }) => ({
      rule: 'job_has_waiting',
      message: `pg-boss has the job ${id} for a run of ${operation}, which does not wait for it`,
    })),
    ...wrong.map(({ id }) => ({
      rule: 'job_says_the_same',
      message: `the job of ${toId(id)} has another time or priority than the operation`,
    })),
  ]
}

/** Mends what a restored backup, or a writer without an engine, has left. Gives how many jobs it sent or took away. */
export async function mendJobs(
  transaction: <T>(work: (sql: Sql) => Promise<T>) => Promise<T>,
  jobs: Jobs,
  signal?: AbortSignal,
): Promise<number> {
  const { schema } = jobs
  let mended = 0
  for (let last = STEP; last === STEP && !signal?.aborted; ) {
    last = await transaction(async sql => {
      const wrong = await sql.rows<{ id: number }>(
        `DELETE FROM ${schema}.job WHERE id IN (SELECT s.id FROM (${stray(schema)} LIMIT ${STEP}) s) OR id IN
          (SELECT ${JOB_ID_SQL('w.id', 'w.run + 1')} FROM (${otherwise(schema)} LIMIT ${STEP}) w) RETURNING 1 AS id`,
      )
      const missing = await sql.rows<Waiting>(
        `${without(schema)} ORDER BY o.id LIMIT ${STEP} FOR UPDATE OF o SKIP LOCKED`,
      )
      await jobs.send(sql, missing)
      return Math.min(STEP, Math.max(wrong.length, missing.length))
    })
    mended += last
  }
  return mended
}
