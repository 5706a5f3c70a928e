import type { Database } from '../../ledger/postgres/database.ts'
import type { Sql } from '../../ledger/postgres/sql.ts'
import type { Waiting } from '../../ledger/postgres/touched.ts'
import { type WaitingKey, waitingWithoutJob, wrongJobs } from './job-check.ts'
import { type JobKey, jobsAt, says } from './job-rows.ts'
import { type Jobs, jobId } from './jobs.ts'
import { queueName } from './queue-name.ts'

/**
 * Repairs the jobs after a restored backup, or after writes without an engine. Compares pages without a lock, and checks only
 * what looks wrong again under a lock. Returns how many jobs it sent or removed.
 */
export async function repairJobs(database: Database, jobs: Jobs, signal?: AbortSignal): Promise<number> {
  let repaired = 0
  for (let after: JobKey | undefined; !signal?.aborted; ) {
    const { found, next } = await database.snapshot(sql => wrongJobs(sql, jobs.schema, after))
    const operations = found.flatMap(job => (job.for ? [job.for.operation] : []))
    repaired += await repairThese(database, jobs, operations, found)
    if (!next) break
    after = next
  }
  for (let after: WaitingKey | undefined; !signal?.aborted; ) {
    const { found, next } = await database.snapshot(sql => waitingWithoutJob(sql, jobs.schema, after))
    const operations = found.map(({ id }) => id)
    repaired += await repairThese(database, jobs, operations, [])
    if (!next) break
    after = next
  }
  return repaired
}

/** Sends the missing jobs of these operations, and removes all others of these jobs. */
function repairThese(
  database: Database,
  jobs: Jobs,
  operations: readonly number[],
  suspects: readonly JobKey[],
): Promise<number> {
  if (operations.length === 0 && suspects.length === 0) return Promise.resolve(0)
  return database.transaction(async sql => {
    const wanted = new Map(
      (await locked(sql, operations))
        .filter(({ waits }) => waits)
        .map(each => [`${queueName(each.capability)} ${jobId(each.id, each.run + 1)}`, each]),
    )
    const keys = [...wanted.values()].map(({ id, capability, run }) => ({
      name: queueName(capability),
      id: jobId(id, run + 1),
    }))
    const present = await jobsAt(sql, jobs.schema, [...keys, ...suspects])
    const isRight = (job: (typeof present)[number]) => {
      const operation = wanted.get(`${job.name} ${job.id}`)
      return operation !== undefined && job.live && says(job, operation)
    }
    const wrong = present.filter(job => !isRight(job))
    for (const [name, group] of Map.groupBy(wrong, each => each.name))
      await sql.run(`DELETE FROM ${jobs.schema}.job WHERE name = $1 AND id = ANY($2::uuid[])`, [
        name,
        group.map(({ id }) => id),
      ])
    for (const job of present.filter(isRight)) wanted.delete(`${job.name} ${job.id}`)
    await jobs.send(sql, [...wanted.values()])
    return wrong.length + wanted.size
  })
}

/** Locks the operations, so that no other transaction changes them or their jobs before this one ends. */
function locked(sql: Sql, operations: readonly number[]): Promise<(Waiting & { waits: boolean })[]> {
  return sql.rows(
    `SELECT id, capability, run, rank, due_at AS "dueAt", state = 'scheduled' AND held_by IS NULL AS waits
     FROM operations WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE`,
    [operations],
  )
}
