import type { Agenda, AgendaQuery } from '../agenda.ts'
import { type DueCount, toAgenda } from '../row/agenda-rows.ts'
import type { Sql } from './sql.ts'

/** How many operations are due when, and how many are held for each provider. */
export async function readAgenda(sql: Sql, { from, stepMs, steps }: AgendaQuery): Promise<Agenda> {
  return toAgenda(
    steps,
    await sql.rows<DueCount>(
      `SELECT provider, CASE WHEN due_at < $1 THEN -1 ELSE least((due_at - $1) / $2, $3) END AS step, count(*) AS n
       FROM operations WHERE state = 'scheduled' AND held_by IS NULL GROUP BY 1, 2`,
      [Math.round(from), stepMs, steps],
    ),
    await sql.rows<{ provider: string; n: number }>(
      'SELECT held_by AS provider, count(*) AS n FROM operations WHERE held_by IS NOT NULL GROUP BY 1',
    ),
  )
}
