import type { DatabaseSync } from 'node:sqlite'
import { LedgerError } from '../error.ts'
import type { Counts, OperationFilter, Page, PageRequest } from '../filter.ts'
import type { Operation } from '../operation.ts'
import { conditionsOf } from './conditions.ts'
import { countRows, noCounts } from './counting.ts'
import { countByIndex, isByState } from './counting-by-index.ts'
import type { OperationRow } from './operation-row.ts'
import { ATTEMPTS_PER_OPERATION, numberOf, operationOfAttempt } from './rows.ts'
import { readSnapshot } from './snapshot.ts'
import type { Source } from './source.ts'
import { COMMON_FOR_COUNT, sourcesOf } from './sources.ts'
import { textSearch } from './text-search.ts'
import { toOperation } from './to-operation.ts'

export const PAGE_DEFAULT = 50
export const LONGEST_PAGE = 1_000
/** Operations that are looked at one by one before an index is sorted. */
const NEWEST = 20_000

/** Characters of stored JSON on one page; it ends there, however few operations these are, but never with none. */
export const LARGEST_PAGE = 8_388_608

/** Pages and counts of operations, on any connection. */
export class Listing {
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  page(filter: OperationFilter, request: PageRequest): Page<Operation> {
    return readSnapshot(this.#db, () => this.#page(filter, request))
  }

  #page(filter: OperationFilter, { limit = PAGE_DEFAULT, cursor }: PageRequest): Page<Operation> {
    if (!Number.isInteger(limit) || limit < 1 || limit > LONGEST_PAGE)
      throw new LedgerError('invalid', `limit ${limit}: give an integer from 1 to ${LONGEST_PAGE}`)
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : numberOf(cursor)
    if (before === undefined)
      throw new LedgerError('invalid', `cursor ${JSON.stringify(cursor)}: give \`next\` of the page before`)
    const ids =
      filter.text === undefined
        ? sourcesOf(this.#db, filter)
            .flatMap(source => this.#idsOf(source, before, limit + 1))
            .sort((a, b) => b - a)
        : this.#idsByText({ ...filter, text: filter.text }, before, limit + 1)
    const get = this.#db.prepare('SELECT * FROM operations WHERE id = ?')
    const items: Operation[] = []
    let size = 0
    for (const id of ids.slice(0, limit)) {
      const row = get.get(id) as unknown as OperationRow
      size += row.params.length + (row.result?.length ?? 0) + (row.context?.length ?? 0)
      if (size > LARGEST_PAGE && items.length > 0) break
      items.push(toOperation(row))
    }
    const last = items.at(-1)
    return { items, ...(ids.length > items.length && last ? { next: last.id } : {}) }
  }

  counts(filter: OperationFilter, now: number): Counts {
    return readSnapshot(this.#db, () => {
      if (isByState(filter)) return countByIndex(this.#db, filter, now)
      const counts = noCounts()
      const sources =
        filter.text === undefined
          ? sourcesOf(this.#db, filter, COMMON_FOR_COUNT)
          : [this.#byText({ ...filter, text: filter.text })]
      for (const source of sources) countRows(this.#db, counts, source, now)
      return counts
    })
  }

  #idsOf({ from, id, where, values, isOrderedById = true }: Source, before: number, limit: number): number[] {
    const ids = (source: string, after: number) => {
      const rows = this.#db
        .prepare(
          `SELECT ${id} AS id FROM ${source} WHERE ${[...where, `${id} < ?`, `${id} > ?`].join(' AND ')}
           ORDER BY ${id} DESC LIMIT ?`,
        )
        .all(...values, before, after, limit) as unknown as { id: number }[]
      return rows.map(row => row.id)
    }
    if (isOrderedById) return ids(from, 0)
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
  #idsByText(filter: OperationFilter & { text: string }, before: number, limit: number): number[] {
    const search = textSearch(this.#db, filter, before)
    const found = this.#db
      .prepare(`SELECT rowid AS id FROM failure_texts WHERE ${search.where} ORDER BY rowid DESC`)
      .iterate(...search.values) as unknown as Iterable<{ id: number }>
    const conditions = conditionsOf(this.#db, filter)
    const test = this.#db.prepare(
      `SELECT 1 AS is_match FROM operations WHERE ${[...conditions.map(({ sql }) => sql), 'operations.id = ?'].join(' AND ')}`,
    )
    const values = conditions.flatMap(condition => condition.values)
    const ids: number[] = []
    let last = 0
    for (const { id: row } of found) {
      const id = operationOfAttempt(row)
      if (id === last) continue
      last = id
      if (test.get(...values, id)) ids.push(id)
      if (ids.length === limit) break
    }
    return ids
  }

  #byText(filter: OperationFilter & { text: string }): Source {
    const search = textSearch(this.#db, filter)
    const conditions = conditionsOf(this.#db, filter)
    return {
      from: 'operations',
      id: 'operations.id',
      where: [
        ...conditions.map(({ sql }) => sql),
        `operations.id IN (SELECT rowid / ${ATTEMPTS_PER_OPERATION} FROM failure_texts WHERE ${search.where})`,
      ],
      values: [...conditions.flatMap(({ values }) => values), ...search.values],
    }
  }
}
