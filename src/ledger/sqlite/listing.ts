import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { LedgerError } from '../error.ts'
import type { Counts, OperationFilter, Page, PageRequest } from '../filter.ts'
import { OPERATION_STATES, type Operation, type OperationState } from '../operation.ts'
import { numberOf, type OperationRow, operationOfAttempt, toOperation } from './rows.ts'
import { type Source, sourcesOf, textQuery } from './sources.ts'

export const PAGE_DEFAULT = 50
const LONGEST_PAGE = 1_000

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
    const counts: Counts = { total: 0, states, parkedFor: {}, held: 0, due: 0 }
    for (const { from, where, values } of sourcesOf(this.#db, filter)) {
      const text = filter.text === undefined ? undefined : textQuery(filter.text)
      const rows = this.#db
        .prepare(
          `SELECT state, parked_for AS parkedFor, held_by IS NOT NULL AS held, due_at <= ? AS due,
           count(*) AS n FROM ${from}
           WHERE ${[...where, ...(text === undefined ? [] : [`operations.id IN (${BY_TEXT})`])].join(' AND ')}
           GROUP BY 1, 2, 3, 4`,
        )
        .all(now, ...values, ...(text === undefined ? [] : [text])) as unknown as CountRow[]
      for (const { state, parkedFor, held, due, n } of rows) {
        counts.total += n
        states[state] += n
        if (parkedFor !== null) counts.parkedFor[parkedFor] = (counts.parkedFor[parkedFor] ?? 0) + n
        if (held === 1) counts.held += n
        else if (state === 'scheduled' && due === 1) counts.due += n
      }
    }
    return counts
  }

  #idsOf({ from, where, values }: Source, before: number, limit: number): number[] {
    const rows = this.#db
      .prepare(
        `SELECT operations.id AS id FROM ${from} WHERE ${where.join(' AND ')} AND operations.id < ?
         ORDER BY operations.id DESC LIMIT ?`,
      )
      .all(...values, before, limit) as unknown as { id: number }[]
    return rows.map(({ id }) => id)
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

interface CountRow {
  state: OperationState
  parkedFor: keyof Counts['parkedFor'] | null
  held: number
  due: number
  n: number
}

const BY_TEXT = 'SELECT rowid / 65536 FROM failure_texts WHERE failure_texts MATCH ?'
