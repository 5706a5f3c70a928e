import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { citizenCapability } from '../citizen.ts'
import type { OperationFilter } from '../filter.ts'
import type { Held } from '../record/holds.ts'
import { FILTER_COLUMNS, OF_DELIVERIES } from '../row/filter-columns.ts'
import { numberOf } from '../row/rows.ts'
import { type IdRange, rangesOfTime } from './time-ranges.ts'

/** A filter in which what holds an operation is resolved. */
export type RowFilter = Omit<OperationFilter, 'heldBy'> & { heldBy?: Held }

/** One condition of a filter, as SQL on an operation's row. */
export interface Condition {
  /** The field of the filter. */
  on: keyof OperationFilter | 'time'
  sql: string
  values: readonly SQLInputValue[]
}

const EVER = Number.MAX_SAFE_INTEGER
/**
 * If the clock went back more often than this, the condition uses the rows' times: SQLite limits the length of
 * conditions.
 */
const MOST_RANGES = 100

/** A condition that nothing matches: the planner would refuse an index for it. */
export const NEVER = 'FALSE'

/** All conditions of a filter except its text, which has its own kind of index. */
export function conditionsOf(db: DatabaseSync, filter: RowFilter): Condition[] {
  const conditions: Condition[] = []
  const ranges = timeRangesOf(db, filter)
  if (ranges) conditions.push({ on: 'time', sql: within(filter, ranges), values: [] })
  for (const [on, column] of FILTER_COLUMNS) {
    const value = filter[on]
    if (value !== undefined) conditions.push({ on, sql: `${column} = ?`, values: [value] })
  }
  if (filter.heldBy) conditions.push(isHeld(filter.heldBy))
  if (filter.provider !== undefined)
    conditions.push({
      on: 'provider',
      sql: 'EXISTS (SELECT 1 FROM operation_providers p WHERE p.provider = ? AND p.operation = operations.id)',
      values: [filter.provider],
    })
  if (filter.engine !== undefined) {
    const begin = citizenCapability(filter.engine, '')
    // The character after the slash ends the range of all its queues.
    const values = [begin, begin.replace(/\/$/, '0')]
    conditions.push({ on: 'engine', sql: 'operations.capability >= ? AND operations.capability < ?', values })
  }
  for (const on of ['state', 'capability'] as const) {
    const list = listOf<string>(filter[on])
    if (list) conditions.push({ on, sql: oneOf(on, list), values: list })
  }
  if (filter.deliveries)
    conditions.push({ on: 'deliveries', sql: OF_DELIVERIES[filter.deliveries], values: [] })
  if (filter.ids) {
    const ids = filter.ids.map(id => numberOf(id) ?? 0)
    conditions.push({ on: 'ids', sql: oneOf('operations.id', ids), values: ids })
  }
  return conditions
}

function isHeld(held: Held): Condition {
  if ('engine' in held) return { on: 'heldBy', sql: 'held_by = ?', values: [held.engine] }
  const { pools, now } = held
  if (pools.length === 0) return { on: 'heldBy', sql: NEVER, values: [] }
  const sql = `state = 'scheduled' AND held_by IS NULL AND due_at <= ? AND ${oneOf('operations.provider', pools)}`
  return { on: 'heldBy', sql, values: [now, ...pools] }
}

/** The ids within the time range of a filter; undefined if it has none. */
export function timeRangesOf(
  db: DatabaseSync,
  { createdFrom = 0, createdBefore = EVER }: RowFilter,
): IdRange[] | undefined {
  if (createdFrom === 0 && createdBefore === EVER) return undefined
  return rangesOfTime(db, createdFrom, createdBefore)
}

function within({ createdFrom = 0, createdBefore = EVER }: RowFilter, ranges: readonly IdRange[]): string {
  if (ranges.length === 0) return NEVER
  if (ranges.length > MOST_RANGES)
    return `operations.created_at >= ${Number(createdFrom)} AND operations.created_at < ${Number(createdBefore)}`
  const conditions = ranges.map(
    ({ from, before }) => `(operations.id >= ${from} AND operations.id < ${before})`,
  )
  return conditions.length === 1 ? (conditions[0] as string) : `(${conditions.join(' OR ')})`
}

/** The values of a condition, without duplicates. */
export function listOf<T extends string>(value: T | readonly T[] | undefined): readonly T[] | undefined {
  return value === undefined ? undefined : typeof value === 'string' ? [value] : [...new Set(value)]
}

function oneOf(column: string, list: readonly unknown[]): string {
  return list.length === 0 ? NEVER : `${column} IN (${marks(list)})`
}

export function marks(list: readonly unknown[]): string {
  return list.map(() => '?').join(', ')
}
