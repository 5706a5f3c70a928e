import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { ParkReason } from '../../verdict/index.ts'
import { LedgerError } from '../error.ts'
import type { OperationFilter } from '../filter.ts'
import { OPERATION_STATES, type OperationState } from '../operation.ts'
import { numberOf } from './rows.ts'
import { STATE_SOURCES } from './state-sources.ts'
import { type IdRange, rangesOfTime } from './time-ranges.ts'

/** A part of the operations that an index gives in the order of ids, with the conditions on the rest. */
export interface Source {
  from: string
  where: readonly string[]
  values: readonly SQLInputValue[]
  /** What all of them have in common, so that counting them needs no look at their rows. */
  all?: { state: OperationState; parkedFor?: ParkReason; isHeld?: boolean }
  /** False where the index has them in another order, and may have very many. Default true. */
  isOrderedById?: boolean
}

const EVER = Number.MAX_SAFE_INTEGER
/** Where the clock went back more often than this the rows are asked: SQLite takes no condition of any length. */
const MOST_RANGES = 100

/** Conditions with an index of their own, the most telling first. */
const BY_INDEX = [
  ['session', 'session', 'operations_session'],
  ['agentSession', 'agent_session', 'operations_agent_session'],
  ['fingerprint', 'fingerprint', 'operations_fingerprint'],
  ['parkedFor', 'parked_for', 'operations_parked'],
  ['kind', 'kind', 'operations_kind'],
  ['class', 'class', 'operations_class'],
] as const

/**
 * Where the operations of a filter are to be looked for. Together the sources give each matching one once. Which
 * index leads is said here and not left to the planner, which knows nothing about how common a value is.
 *
 * @param toCount to count them rather than to list them: then every state is asked for by its own index
 */
export function sourcesOf(db: DatabaseSync, filter: OperationFilter, toCount = false): readonly Source[] {
  const where: string[] = []
  const values: SQLInputValue[] = []
  const add = (condition: string, ...more: SQLInputValue[]) => {
    where.push(condition)
    values.push(...more)
  }
  const states = listOf(filter.state)
  const capabilities = listOf(filter.capability)
  const ranges = timeRanges(db, filter)
  // Nothing can match; and SQLite finds no plan for an empty list with an index that it is told to use.
  if ([states, capabilities, filter.ids, ranges].some(list => list?.length === 0)) return []
  if (ranges) add(timeCondition(filter, ranges))
  if (filter.heldBy !== undefined) add('held_by = ?', filter.heldBy)
  for (const [name, column] of BY_INDEX) if (filter[name] !== undefined) add(`${column} = ?`, filter[name])
  const rest = () => {
    if (states) add(`state IN (${marks(states)})`, ...states)
    if (capabilities) add(`capability IN (${marks(capabilities)})`, ...capabilities)
  }
  if (filter.ids) {
    const ids = filter.ids.map(id => numberOf(id) ?? 0)
    add(`operations.id IN (${marks(ids)})`, ...ids)
    rest()
    return [{ from: 'operations', where: withProvider(filter, where, values), values }]
  }
  const index = BY_INDEX.find(([name]) => filter[name] !== undefined)
  if (index || filter.text !== undefined) {
    rest()
    // A text leads by itself: its matches are held against the conditions by id, which needs no index.
    const from = index && filter.text === undefined ? `operations INDEXED BY ${index[2]}` : 'operations'
    return [{ from, where: withProvider(filter, where, values), values }]
  }
  if (filter.provider !== undefined) {
    rest()
    return [
      {
        from: 'operation_providers CROSS JOIN operations ON operations.id = operation_providers.operation',
        where: ['operation_providers.provider = ?', ...where],
        values: [filter.provider, ...values],
      },
    ]
  }
  if (!states && !capabilities && !toCount)
    return [{ from: 'operations', where: where.length > 0 ? where : ['TRUE'], values }]
  return (states ?? OPERATION_STATES)
    .flatMap(state => STATE_SOURCES[state](db, capabilities))
    .map(source => ({
      ...source,
      where: [...source.where, ...where],
      values: [...source.values, ...values],
    }))
}

function withProvider(filter: OperationFilter, where: string[], values: SQLInputValue[]): string[] {
  if (filter.provider !== undefined) {
    where.push(
      'EXISTS (SELECT 1 FROM operation_providers p WHERE p.provider = ? AND p.operation = operations.id)',
    )
    values.push(filter.provider)
  }
  return where.length > 0 ? where : ['TRUE']
}

function timeRanges(db: DatabaseSync, filter: OperationFilter): readonly IdRange[] | undefined {
  const { createdFrom = 0, createdBefore = EVER } = filter
  return createdFrom === 0 && createdBefore === EVER
    ? undefined
    : rangesOfTime(db, createdFrom, createdBefore)
}

function timeCondition(
  { createdFrom = 0, createdBefore = EVER }: OperationFilter,
  ranges: readonly IdRange[],
): string {
  if (ranges.length > MOST_RANGES)
    return `operations.created_at >= ${Number(createdFrom)} AND operations.created_at < ${Number(createdBefore)}`
  const conditions = ranges.map(
    ({ from, before }) => `(operations.id >= ${from} AND operations.id < ${before})`,
  )
  return `(${conditions.join(' OR ')})`
}

/** Words as the index of texts wants them: each as it stands, all of them, the last one as a beginning. */
export function textQuery(text: string): string {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter(word => word !== '')
  if (words.length === 0)
    throw new LedgerError('invalid', `text ${JSON.stringify(text)}: give at least one word to look for`)
  return `${words.map(word => `"${word}"`).join(' ')}*`
}

/** Each once: what is named twice must not be found twice. */
function listOf<T extends string>(value: T | readonly T[] | undefined): readonly T[] | undefined {
  return value === undefined ? undefined : [...new Set(typeof value === 'string' ? [value] : value)]
}

function marks(list: readonly unknown[]): string {
  return list.map(() => '?').join(', ')
}
