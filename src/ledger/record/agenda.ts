import type { Agenda, AgendaQuery } from '../agenda.ts'
import { checkAgenda, type DueCount, type EngineCount, toAgenda } from '../row/agenda-rows.ts'
import { type Asking, rows } from './asking.ts'
import { holders } from './holds.ts'

/** Indexes alone answer both questions, without reading rows. */
const DUE = `SELECT provider, CASE WHEN due_at < $1 THEN -1 ELSE CAST(least((due_at - $1) / $2, $3) AS INTEGER) END AS step,
  due_at <= $4 AS is_due, count(*) AS n FROM operations WHERE state = 'scheduled' AND held_by IS NULL GROUP BY 1, 2, 3`
const ELSEWHERE = `SELECT held_by AS engine, count(*) AS n FROM operations WHERE held_by IS NOT NULL GROUP BY 1`

/** How many operations are due when, and how many are held for each provider. */
export function* agendaOf(query: AgendaQuery, now: number): Asking<Agenda> {
  checkAgenda(query)
  const { from, stepMs, steps } = query
  const due = yield* rows<DueCount>(DUE, Math.round(from), stepMs, steps, now)
  return toAgenda(steps, due, yield* rows<EngineCount>(ELSEWHERE), yield* holders(now))
}
