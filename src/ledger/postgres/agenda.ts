import type { Agenda, AgendaQuery } from '../agenda.ts'
import { holders } from '../record/holds.ts'
import { type DueCount, type EngineCount, toAgenda } from '../row/agenda-rows.ts'
import { answer } from './answer.ts'
import type { Sql } from './sql.ts'

/** How many operations are due when, and how many are held for each provider. */
export async function readAgenda(
  sql: Sql,
  { from, stepMs, steps }: AgendaQuery,
  now: number,
): Promise<Agenda> {
  return toAgenda(
    steps,
    await sql.rows<DueCount>(
      `SELECT provider, CASE WHEN due_at < $1 THEN -1 ELSE least((due_at - $1) / $2, $3) END AS step, due_at <= $4 AS is_due,
         count(*) AS n
       FROM operations WHERE state = 'scheduled' AND held_by IS NULL GROUP BY 1, 2, 3`,
      [Math.round(from), stepMs, steps, now],
    ),
    await sql.rows<EngineCount>(
      'SELECT held_by AS engine, count(*) AS n FROM operations WHERE held_by IS NOT NULL GROUP BY 1',
    ),
    await answer(sql, holders(now)),
  )
}
