import type { DatabaseSync } from 'node:sqlite'
import type { Agenda, AgendaQuery } from '../agenda.ts'
import { checkAgenda, type DueCount, toAgenda } from '../row/agenda-rows.ts'
import { readSnapshot } from './snapshot.ts'

/** Indexes alone answer both queries, without reading rows. */
const DUE = `SELECT provider, CASE WHEN due_at < ?1 THEN -1 ELSE CAST(min((due_at - ?1) / ?2, ?3) AS INTEGER) END AS step, count(*) AS n
  FROM operations INDEXED BY operations_due WHERE state = 'scheduled' AND held_by IS NULL GROUP BY 1, 2`
const HELD = `SELECT held_by AS provider, count(*) AS n FROM operations INDEXED BY operations_held
  WHERE held_by IS NOT NULL GROUP BY 1`

/** When scheduled operations are due, on any connection. */
export function agendaOf(db: DatabaseSync, query: AgendaQuery): Agenda {
  checkAgenda(query)
  const { from, stepMs, steps } = query
  return readSnapshot(db, () => {
    const due = db.prepare(DUE).all(Math.round(from), stepMs, steps) as unknown as DueCount[]
    return toAgenda(steps, due, db.prepare(HELD).all() as unknown as { provider: string; n: number }[])
  })
}
