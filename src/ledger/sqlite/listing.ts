import type { DatabaseSync } from 'node:sqlite'
import { type Counts, type ListRequest, MOST_SORTED, type OperationFilter, type Page } from '../filter.ts'
import type { Operation } from '../operation.ts'
import { heldBy, holders, operationsOf } from '../record/holds.ts'
import { SORT_COLUMNS } from '../row/filter-columns.ts'
import { type OperationRow, sizeOfOperation } from '../row/operation-row.ts'
import { fittingRows, PAGE_DEFAULT, pageBegin } from '../row/page-bounds.ts'
import { ATTEMPTS_PER_OPERATION, numberOf, operationOfAttempt } from '../row/rows.ts'
import { answerRead } from './answer.ts'
import { conditionsOf, type RowFilter } from './conditions.ts'
import { countByIndex, isByState } from './counting-by-index.ts'
import { countAll, countInSlices, EVERYTHING, inSlice, type Slice, timeSlice } from './counting-in-slices.ts'
import { readSnapshot } from './snapshot.ts'
import type { Source } from './source.ts'
import { COMMON_FOR_COUNT, sourcesOf } from './sources.ts'
import { textSearch } from './text-search.ts'

/** Operations to check one by one before sorting an index. */
const NEWEST = 20_000

/** Pages and counts of operations, on any connection. */
export class Listing {
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  page(filter: OperationFilter, request: ListRequest, now: number): Page<Operation> {
    return readSnapshot(this.#db, () => this.#page(this.#resolved(filter, now), request, now))
  }

  /** A filter by what holds an operation, in terms of its row. */
  #resolved({ heldBy: holder, ...filter }: OperationFilter, now: number): RowFilter {
    return holder === undefined ? filter : { ...filter, heldBy: answerRead(this.#db, heldBy(holder, now)) }
  }

  #page(
    filter: RowFilter,
    { limit = PAGE_DEFAULT, cursor, sort, ascending = false }: ListRequest,
    now: number,
  ): Page<Operation> {
    const before = pageBegin(limit, sort === undefined ? cursor : undefined, numberOf)
    const most = sort === undefined ? limit + 1 : MOST_SORTED
    const newest =
      filter.text === undefined
        ? sourcesOf(this.#db, filter)
            .flatMap(source => this.#idsOf(source, before, most))
            .sort((a, b) => b - a)
        : this.#idsByText({ ...filter, text: filter.text }, before, most)
    const ids =
      sort === undefined ? newest : this.#sorted(newest.slice(0, MOST_SORTED), SORT_COLUMNS[sort], ascending)
    const items = answerRead(
      this.#db,
      operationsOf(fittingRows(this.#rowsOf(ids), limit, sizeOfOperation), now),
    )
    const last = items.at(-1)
    return { items, ...(sort === undefined && ids.length > items.length && last ? { next: last.id } : {}) }
  }

  /** One by one, because those after a large one may not be needed. */
  *#rowsOf(ids: readonly number[]): Iterable<OperationRow> {
    const get = this.#db.prepare('SELECT * FROM operations WHERE id = ?')
    for (const id of ids) yield get.get(id) as unknown as OperationRow
  }

  /** The ids in the order of a column; equal ones newest first. */
  #sorted(ids: readonly number[], column: string, ascending: boolean): number[] {
    const rows = this.#db
      .prepare(
        `SELECT id FROM operations WHERE id IN (SELECT value FROM json_each(?))
         ORDER BY ${column} ${ascending ? 'ASC' : 'DESC'}, id DESC`,
      )
      .all(JSON.stringify(ids)) as unknown as { id: number }[]
    return rows.map(({ id }) => id)
  }

  /** @param patienceMs after about this long an estimate will do; default never */
  counts(asked: OperationFilter, now: number, patienceMs = Infinity): Counts {
    return readSnapshot(this.#db, () => {
      const held = answerRead(this.#db, holders(now))
      if (isByState(asked)) return countByIndex(this.#db, asked, now, held, patienceMs)
      const filter = this.#resolved(asked, now)
      const { text } = filter
      const when = { now, held }
      const sources = text === undefined ? sourcesOf(this.#db, filter, COMMON_FOR_COUNT) : []
      const sourcesIn = (slice: Slice) =>
        text === undefined
          ? sources.map(source => inSlice(source, slice))
          : [this.#byText({ ...filter, text }, slice)]
      // If an index has another order, each slice would search all of it.
      if (patienceMs === Infinity || sources.some(({ isOrderedById = true }) => !isOrderedById))
        return countAll(this.#db, sourcesIn(EVERYTHING), when)
      return countInSlices(this.#db, sourcesIn, timeSlice(this.#db, filter), when, patienceMs)
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
    // If most of the newest operations match, checking each finds them sooner than sorting all matches.
    const found = ids('operations NOT INDEXED', this.#before(before))
    return found.length === limit ? found : ids(from, 0)
  }

  /** The operation this many places before the given one; 0 if there are fewer. */
  #before(id: number): number {
    const row = this.#db
      .prepare('SELECT id FROM operations WHERE id < ? ORDER BY id DESC LIMIT 1 OFFSET ?')
      .get(id, NEWEST)
    return (row?.id as number | undefined) ?? 0
  }

  /** The text index returns the newest first; each hit is then checked against the other conditions. */
  #idsByText(filter: RowFilter & { text: string }, before: number, limit: number): number[] {
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

  #byText(filter: RowFilter & { text: string }, { from, before }: Slice): Source {
    const search = textSearch(this.#db, filter, before, from)
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
