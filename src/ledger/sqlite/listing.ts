import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { CANCEL_REASONS, PARK_REASONS } from '../../verdict/verdict.ts'
import { LedgerError } from '../error.ts'
import type { Counts, OperationFilter, Page, PageRequest } from '../filter.ts'
import { OPERATION_STATES, type Operation } from '../operation.ts'
import type { OperationRow } from './operation-row.ts'
import { numberOf, operationOfAttempt } from './rows.ts'
import { type Source, sourcesOf, textQuery } from './sources.ts'
import { toOperation } from './to-operation.ts'

export const PAGE_DEFAULT = 50
const LONGEST_PAGE = 1_000
/** Operations that are looked at one by one before an index is sorted. */
const NEWEST = 20_000

/** Pages and counts of operations, on any connection. */
export class Listing {
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  page(filter: OperationFilter, { limit = PAGE_DEFAULT, cursor }: PageRequest): Page<Operation> {
    if (!Number.isInteger(limit) || limit < 1 || limit > LONGEST_PAGE)
      throw new LedgerError('invalid', `limit ${limit}: give an integer from 1 to ${LONGEST_PAGE}`)
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : numberOf(cursor)
    if (before === undefined)
      throw new LedgerError('invalid', `cursor ${JSON.stringify(cursor)}: give \`next\` of the page before`)
    const sources = sourcesOf(this.#db, filter)
    const ids =
      filter.text === undefined
        ? sources.flatMap(source => this.#idsOf(source, before, limit + 1)).sort((a, b) => b - a)
        : this.#idsByText(filter.text, sources, before, limit + 1)
    const get = this.#db.prepare('SELECT * FROM operations WHERE id = ?')
    const items = ids.slice(0, limit).map(id => toOperation(get.get(id) as unknown as OperationRow))
    const last = items.at(-1)
    return { items, ...(ids.length > limit && last ? { next: last.id } : {}) }
  }

  counts(filter: OperationFilter, now: number): Counts {
    const states = Object.fromEntries(OPERATION_STATES.map(state => [state, 0])) as Counts['states']
    const counts: Counts = { total: 0, states, parkedFor: {}, deadAs: {}, held: 0, due: 0 }
    const text = filter.text === undefined ? [] : [textQuery(filter.text)]
    for (const source of sourcesOf(this.#db, filter, true)) {
      const { all, from, values } = source
      const where =
        filter.text === undefined ? source.where : [...source.where, `operations.id IN (${BY_TEXT})`]
      const count = (what: string, ...more: SQLInputValue[]) =>
        this.#db
          .prepare(`SELECT ${what} FROM ${from} WHERE ${where.join(' AND ')}`)
          .get(...more, ...values, ...text) as Record<string, number | null>
      const isDue = all?.state === 'scheduled' && !all.isHeld
      if (!all) add(counts, count(COUNTED, now))
      else
        add(
          counts,
          namesOf(all, isDue ? count(DUE, now) : count(all.state === 'dead' ? DEAD : 'count(*) AS n')),
        )
    }
    return counts
  }

  #idsOf({ from, where, values, isOrderedById }: Source, before: number, limit: number): number[] {
    const ids = (source: string, after: number) => {
      const rows = this.#db
        .prepare(
          `SELECT operations.id AS id FROM ${source} WHERE ${where.join(' AND ')} AND operations.id < ?
           AND operations.id > ? ORDER BY operations.id DESC LIMIT ?`,
        )
        .all(...values, before, after, limit) as unknown as { id: number }[]
      return rows.map(({ id }) => id)
    }
    if (isOrderedById !== false) return ids(from, 0)
    // Where most of the newest match, they are found sooner by looking at each than by sorting all there are.
    const found = ids('operations NOT INDEXED', this.#before(before))
    return found.length === limit ? found : ids(from, 0)
  }

  /** The operation that is so many before this one; 0 if there are fewer. */
  #before(id: number): number {
    const row = this.#db
      .prepare('SELECT id FROM operations WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET ?')
      .get(id, NEWEST)
    return (row?.id as number | undefined) ?? 0
  }

  /** The index of texts gives the newest first; what it finds is held against the other conditions one by one. */
  #idsByText(text: string, sources: readonly Source[], before: number, limit: number): number[] {
    const bound = before === Number.MAX_SAFE_INTEGER ? before : before * 65_536
    const found = this.#db
      .prepare(
        'SELECT rowid AS id FROM failure_texts WHERE failure_texts MATCH ? AND rowid < ? ORDER BY rowid DESC',
      )
      .iterate(textQuery(text), bound) as unknown as Iterable<{ id: number }>
    const tests = sources.map(({ where, values }) => ({
      statement: this.#db.prepare(
        `SELECT 1 AS is_match FROM operations WHERE ${where.join(' AND ')} AND operations.id = ?`,
      ),
      values,
    }))
    const ids: number[] = []
    let last = 0
    for (const { id: row } of found) {
      const id = operationOfAttempt(row)
      if (id === last) continue
      last = id
      if (tests.some(({ statement, values }) => statement.get(...(values as SQLInputValue[]), id)))
        ids.push(id)
      if (ids.length === limit) break
    }
    return ids
  }
}

/** Adds what one source counted, by the names that a count of rows has. */
function add(counts: Counts, row: Record<string, number | null>): void {
  for (const state of OPERATION_STATES) {
    counts.states[state] += row[state] ?? 0
    counts.total += row[state] ?? 0
  }
  for (const reason of PARK_REASONS) {
    const parked = row[`for_${reason}`] ?? 0
    if (parked > 0) counts.parkedFor[reason] = (counts.parkedFor[reason] ?? 0) + parked
  }
  for (const reason of CANCEL_REASONS) {
    const dead = row[`as_${reason}`] ?? 0
    if (dead > 0) counts.deadAs[reason] = (counts.deadAs[reason] ?? 0) + dead
  }
  counts.held += row.held ?? 0
  counts.due += row.due ?? 0
}

function namesOf(
  { state, parkedFor, isHeld }: NonNullable<Source['all']>,
  { n = 0, ...more }: Record<string, number | null>,
): Record<string, number | null> {
  return {
    ...more,
    [state]: n,
    ...(parkedFor === undefined ? {} : { [`for_${parkedFor}`]: n }),
    ...(isHeld ? { held: n } : {}),
  }
}

const DUE = 'count(*) AS n, sum(due_at <= ?) AS due'
const DEAD_AS = CANCEL_REASONS.map(reason => `sum(dead_as = '${reason}') AS as_${reason}`)
const DEAD = ['count(*) AS n', ...DEAD_AS].join(', ')

/** Sums in one pass: grouping would sort everything first, in memory. */
const COUNTED = [
  ...OPERATION_STATES.map(state => `sum(state = '${state}') AS ${state}`),
  ...PARK_REASONS.map(reason => `sum(parked_for = '${reason}') AS for_${reason}`),
  ...DEAD_AS,
  'sum(held_by IS NOT NULL) AS held',
  "sum(state = 'scheduled' AND held_by IS NULL AND due_at <= ?) AS due",
].join(', ')

const BY_TEXT = 'SELECT rowid / 65536 FROM failure_texts WHERE failure_texts MATCH ?'
