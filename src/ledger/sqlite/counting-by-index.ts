import type { DatabaseSync } from 'node:sqlite'
import type { ParkReason } from '../../verdict/verdict.ts'
import type { Counts, OperationFilter } from '../filter.ts'
import { OPERATION_STATES, type OperationState } from '../operation.ts'
import { listOf, marks } from './conditions.ts'
import { noCounts } from './counting.ts'
import { capabilitiesOf } from './sources.ts'

/** True for filters that can be counted without looking at every row that fits. */
export function isByList(filter: OperationFilter): boolean {
  return Object.entries(filter).every(
    ([name, value]) => value === undefined || name === 'state' || name === 'capability',
  )
}

/** Counts by state and capability from indices; rows are looked at only to see what is due or parked for what. */
export function countByIndex(db: DatabaseSync, filter: OperationFilter, now: number): Counts {
  const counts = noCounts()
  const wanted = listOf(filter.state) ?? OPERATION_STATES
  const capabilities = listOf(filter.capability)
  if (wanted.length === 0 || capabilities?.length === 0) return counts
  const states = countStates(db, wanted, capabilities)
  for (const state of wanted) counts.states[state] = states.get(state) ?? 0
  counts.total = Object.values(counts.states).reduce((sum, n) => sum + n, 0)
  if (counts.states.scheduled > 0) {
    counts.held = countIn(db, 'INDEXED BY operations_held WHERE held_by IS NOT NULL', [], capabilities)
    const lookups = counts.states.scheduled - counts.held
    const by = isWorthAScan(db, lookups) ? 'NOT INDEXED' : 'INDEXED BY operations_due'
    const due = `${by} WHERE state = 'scheduled' AND held_by IS NULL AND due_at <= ?`
    counts.due = countIn(db, due, [now], capabilities)
  }
  if (counts.states.parked > 0) countParked(db, counts, capabilities)
  return counts
}

/**
 * How many there are in all is known from the pages of an index, without its entries; so the state that most are in is
 * what the others leave.
 */
function countStates(
  db: DatabaseSync,
  wanted: readonly OperationState[],
  capabilities: readonly string[] | undefined,
): Map<OperationState, number> {
  const names = capabilities ?? capabilitiesOf(db)
  const statement = db.prepare(
    'SELECT count(*) AS n FROM operations INDEXED BY operations_list WHERE capability = ? AND state = ?',
  )
  const count = (state: OperationState) =>
    names.reduce((sum, name) => sum + (statement.get(name, state) as { n: number }).n, 0)
  if (capabilities !== undefined || !wanted.includes('succeeded'))
    return new Map(wanted.map(state => [state, count(state)]))
  const others = OPERATION_STATES.filter(state => state !== 'succeeded').map(
    state => [state, count(state)] as const,
  )
  const { n } = db.prepare('SELECT count(*) AS n FROM operations').get() as { n: number }
  return new Map([...others, ['succeeded', others.reduce((rest, [, other]) => rest - other, n)]])
}

function countIn(
  db: DatabaseSync,
  sql: string,
  values: readonly number[],
  capabilities: readonly string[] | undefined,
): number {
  const inThem = capabilities ? ` AND capability IN (${marks(capabilities)})` : ''
  const row = db
    .prepare(`SELECT count(*) AS n FROM operations ${sql}${inThem}`)
    .get(...values, ...(capabilities ?? []))
  return (row as { n: number }).n
}

/** Looking up a row by its id costs as much as reading several that lie beside each other. */
function isWorthAScan(db: DatabaseSync, lookups: number): boolean {
  const { id } = db.prepare('SELECT coalesce(max(id), 0) AS id FROM operations').get() as { id: number }
  return lookups * 5 > id
}

function countParked(db: DatabaseSync, counts: Counts, capabilities: readonly string[] | undefined): void {
  const parked = (where: string) =>
    db.prepare(`SELECT parked_for AS reason, count(*) AS n FROM operations ${where} GROUP BY parked_for`)
  const add = (rows: unknown) => {
    for (const { reason, n } of rows as { reason: ParkReason; n: number }[])
      counts.parkedFor[reason] = (counts.parkedFor[reason] ?? 0) + n
  }
  if (!capabilities) {
    add(parked('INDEXED BY operations_parked WHERE parked_for IS NOT NULL').all())
    return
  }
  const ofOne = parked("INDEXED BY operations_list WHERE capability = ? AND state = 'parked'")
  for (const name of capabilities) add(ofOne.all(name))
}
