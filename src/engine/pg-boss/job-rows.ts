import type { Sql } from '../../ledger/postgres/sql.ts'
import type { Waiting } from '../../ledger/postgres/touched.ts'

/** The key of a job in pg-boss's index; the queue comes first. */
export interface JobKey {
  /** Its queue. */
  name: string
  id: string
}

/** The parts of a job that the ledger needs. */
export interface JobRow extends JobKey {
  /** Whether it can still start its run. */
  live: boolean
  priority: number
  due_at: number
}

/** The jobs among these that exist. */
export async function jobsAt(sql: Sql, schema: string, keys: readonly JobKey[]): Promise<JobRow[]> {
  const found: JobRow[] = []
  for (const [name, group] of Map.groupBy(keys, each => each.name))
    found.push(
      ...(await sql.rows<JobRow>(
        `SELECT name, id, state < 'active' AS live, priority, extract(epoch FROM start_after) * 1000 AS due_at
         FROM ${schema}.job WHERE name = $1 AND id = ANY($2::uuid[])`,
        [name, group.map(({ id }) => id)],
      )),
    )
  return found
}

/** Whether a job has the due time and priority of its operation. */
export function says({ priority, due_at }: JobRow, { rank, dueAt }: Waiting): boolean {
  return priority === 0 - rank && Math.abs(due_at - dueAt) < 1
}
