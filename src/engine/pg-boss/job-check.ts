import type { Sql } from '../../ledger/postgres/sql.ts'
import type { Waiting } from '../../ledger/postgres/touched.ts'
import { toId } from '../../ledger/row/rows.ts'
import type { Finding } from '../../ledger/upkeep.ts'
import { type JobKey, type JobRow, jobsAt, says } from './job-rows.ts'
import { jobId, type RunOfJob, runOfJob } from './jobs.ts'
import { queueName } from './queue-name.ts'

/** Most findings reported of each kind. */
const TOLD = 20
/** Rows compared per page. Each is found by key, so a page costs the same however much is stored. */
const PAGE = 1_000

/** A job that should not exist, or has wrong values. */
export interface WrongJob extends JobKey {
  /** The run that its id names; undefined if the id belongs to no operation. */
  for: RunOfJob | undefined
  /** Whether the operation waits for that run, but at another time or with another priority. */
  isWaitedFor: boolean
}

/** Where a walk over waiting operations continues: the key of the index of due operations. */
export type WaitingKey = readonly [string, string, number, number, number]

/** One page of a walk, and where the next begins; undefined after the last. */
interface Walked<T, Key> {
  found: T[]
  next: Key | undefined
}

/** Among the jobs after this one: those that no operation waits for, or that differ from their operation. */
export async function wrongJobs(
  sql: Sql,
  schema: string,
  after: JobKey | undefined,
): Promise<Walked<WrongJob, JobKey>> {
  const jobs = await sql.rows<JobRow>(
    `SELECT name, id, state < 'active' AS live, priority, extract(epoch FROM start_after) * 1000 AS due_at FROM ${schema}.job
     ${after ? 'WHERE (name, id) > ($1, $2::uuid)' : ''} ORDER BY name, id LIMIT ${PAGE}`,
    after ? [after.name, after.id] : [],
  )
  const runs = jobs.map(({ id }) => runOfJob(id))
  const waiting = new Map(
    (
      await sql.rows<Waiting & { waits: boolean }>(
        // Not part of the condition, which would scan the whole index of waiting operations.
        `SELECT id, capability, run, rank, due_at AS "dueAt", state = 'scheduled' AND held_by IS NULL AS waits
         FROM operations WHERE id = ANY($1::bigint[])`,
        [runs.flatMap(run => (run ? [run.operation] : []))],
      )
    ).flatMap(row => (row.waits ? [[row.id, row] as const] : [])),
  )
  const found = jobs.flatMap((job, place): WrongJob[] => {
    const run = runs[place]
    const operation = run && waiting.get(run.operation)
    const isWaitedFor =
      operation?.run === (run?.run ?? 0) - 1 && queueName(operation.capability) === job.name && job.live
    if (isWaitedFor && says(job, operation)) return []
    return [{ name: job.name, id: job.id, for: run, isWaitedFor }]
  })
  return { found, next: jobs.length < PAGE ? undefined : jobs.at(-1) }
}

/** Among the waiting operations after this key: those without a job that can start them. */
export async function waitingWithoutJob(
  sql: Sql,
  schema: string,
  after: WaitingKey | undefined,
): Promise<Walked<Waiting, WaitingKey>> {
  const rows = await sql.rows<Waiting & { provider: string }>(
    `SELECT id, capability, provider, run, rank, due_at AS "dueAt" FROM operations
     WHERE state = 'scheduled' AND held_by IS NULL
     ${after ? 'AND (capability, provider, rank, due_at, id) > ($1, $2, $3, $4, $5)' : ''}
     ORDER BY capability, provider, rank, due_at, id LIMIT ${PAGE}`,
    after ?? [],
  )
  const jobs = await jobsAt(
    sql,
    schema,
    rows.map(({ id, capability, run }) => ({ name: queueName(capability), id: jobId(id, run + 1) })),
  )
  const live = new Set(jobs.filter(({ live }) => live).map(({ id }) => id))
  const last = rows.length < PAGE ? undefined : rows.at(-1)
  return {
    found: rows.filter(({ id, run }) => !live.has(jobId(id, run + 1))),
    next: last && [last.capability, last.provider, last.rank, last.dueAt, last.id],
  }
}

/** Checks that every operation that waits and is not held has exactly one matching job, and that no other has one. */
export async function checkJobs(sql: Sql, schema: string): Promise<Finding[]> {
  const wrong: WrongJob[] = []
  for (let after: JobKey | undefined; ; ) {
    const { found, next } = await wrongJobs(sql, schema, after)
    wrong.push(...found)
    if (!next) break
    after = next
  }
  const missing: Waiting[] = []
  for (let after: WaitingKey | undefined; ; ) {
    const { found, next } = await waitingWithoutJob(sql, schema, after)
    missing.push(...found)
    if (!next) break
    after = next
  }
  return [
    ...missing.slice(0, TOLD).map(({ id, run }) => ({
      rule: 'waiting_has_job',
      message: `${toId(id)} waits for run ${run + 1}, but pg-boss has no job for it`,
    })),
    ...wrong
      .filter(({ isWaitedFor }) => !isWaitedFor)
      .slice(0, TOLD)
      .map(each => ({
        rule: 'job_has_waiting',
        message: each.for
          ? `pg-boss has the job ${each.id} for run ${each.for.run} of ${toId(each.for.operation)}, which does not wait for it`
          : `pg-boss has the job ${each.id} in the queue ${each.name}, which belongs to no operation`,
      })),
    ...wrong
      .filter(({ isWaitedFor }) => isWaitedFor)
      .slice(0, TOLD)
      .map(each => ({
        rule: 'job_says_the_same',
        message: `the job of ${toId(each.for?.operation ?? 0)} has another time or priority than the operation`,
      })),
  ]
}
