import type { DatabaseSync } from 'node:sqlite'
import type { Agenda, AgendaQuery } from '../agenda.ts'
import { holders } from '../record/holds.ts'
import { checkAgenda, type DueCount, type EngineCount, toAgenda } from '../row/agenda-rows.ts'
import { answerRead } from './answer.ts'
import { readSnapshot } from './snapshot.ts'

/** Indexes alone answer both queries, without reading rows. */
const DUE = `SELECT provider, CASE WHEN due_at < ?1 THEN -1 ELSE CAST(min((due_at - ?1) / ?2, ?3) AS INTEGER) END AS step,
  due_at <= ?4 AS is_due, count(*) AS n
  FROM operations INDEXED BY operations_due WHERE state = 'scheduled' AND held_by IS NULL GROUP BY 1, 2, 3`
const ELSEWHERE = `SELECT held_by AS engine, count(*) AS n FROM operations INDEXED BY operations_held
  WHERE held_by IS NOT NULL GROUP BY 1`

/** When scheduled operations are due, on any connection. */
export function agendaOf(db: DatabaseSync, query: AgendaQuery, now: number): Agenda {
  checkAgenda(query)
  const { from, stepMs, steps } = query
  return readSnapshot(db, () =>
    toAgenda(
      steps,
      db.prepare(DUE).all(Math.round(from), stepMs, steps, now) as unknown as DueCount[],
      db.prepare(ELSEWHERE).all() as unknown as EngineCount[],
      answerRead(db, holders(now)),
    ),
  )
}
