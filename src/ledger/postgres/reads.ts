import { type Attempt, MOST_ATTEMPTS } from '../attempt.ts'
import type { EventQuery, LedgerEvent } from '../event.ts'
import type { Operation } from '../operation.ts'
import type { OperationRow } from '../row/operation-row.ts'
import {
  type AttemptRow,
  attemptRowId,
  type EventRow,
  numberOf,
  toAttempt,
  toEvent,
  toId,
} from '../row/rows.ts'
import { toOperation } from '../row/to-operation.ts'
import type { Sql } from './sql.ts'

const EVENTS_DEFAULT = 500

/** Events come from two tables: submissions are the operations themselves. */
const EVENTS = 'SELECT id, at, type, operation, run, data FROM events WHERE id > $1 AND id <= $2'
const SUBMISSIONS = `SELECT id, created_at AS at, 'submitted' AS type, id AS operation, NULL::int AS run, NULL AS data
  FROM operations WHERE id > $1 AND id <= $2`

/** Limits each table, in index order, before merging, so that neither is sorted completely. */
function merged(...parts: string[]): string {
  const ordered = parts.map(part => `(${part} ORDER BY id LIMIT $3)`)
  return `SELECT * FROM (${ordered.join(' UNION ALL ')}) AS happened ORDER BY id LIMIT $3`
}

/** Reads of a few rows by id. */
export class Reads {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  async get(id: string): Promise<Operation | undefined> {
    const row = await this.#sql.row<OperationRow>('SELECT * FROM operations WHERE id = $1', [
      numberOf(id) ?? 0,
    ])
    return row && toOperation(row)
  }

  async find(capability: string, key: string): Promise<Operation | undefined> {
    const row = await this.#sql.row<OperationRow>(
      'SELECT o.* FROM keys k JOIN operations o ON o.id = k.operation WHERE k.capability = $1 AND k.key = $2',
      [capability, key],
    )
    return row && toOperation(row)
  }

  async attempts(id: string): Promise<Attempt[]> {
    const number = numberOf(id) ?? 0
    const rows = await this.#sql.rows<AttemptRow>(
      'SELECT * FROM attempts WHERE id BETWEEN $1 AND $2 ORDER BY id',
      [attemptRowId(number, 0), attemptRowId(number, MOST_ATTEMPTS)],
    )
    return rows.map(toAttempt)
  }

  /** Follows the chain from the last event back to the submission, which is the operation itself. */
  async timeline(id: string): Promise<LedgerEvent[]> {
    const rows = await this.#sql.rows<EventRow>(
      `WITH RECURSIVE chain AS (
        SELECT e.id, e.at, e.type, e.operation, e.run, e.previous, e.data FROM operations o JOIN events e
          ON e.id = o.last_event AND e.operation = o.id WHERE o.id = $1 UNION ALL
        SELECT e.id, e.at, e.type, e.operation, e.run, e.previous, e.data FROM chain c JOIN events e
          ON e.id = c.previous AND e.operation = c.operation)
      SELECT * FROM chain UNION ALL SELECT id, created_at, 'submitted', id, NULL, NULL, NULL FROM operations
        WHERE id = $1 ORDER BY id`,
      [numberOf(id) ?? 0],
    )
    return rows.map(toEvent)
  }

  /** @param until the last number that is settled */
  async events(
    { after = 0, limit = EVENTS_DEFAULT, types }: EventQuery,
    until: number,
  ): Promise<LedgerEvent[]> {
    if (until <= after) return []
    const some = `${EVENTS} AND type = ANY($4::text[])`
    const text = !types
      ? merged(EVENTS, SUBMISSIONS)
      : types.includes('submitted')
        ? merged(some, SUBMISSIONS)
        : merged(some)
    const rows = await this.#sql.rows<EventRow>(text, [after, until, limit, ...(types ? [types] : [])])
    return rows.map(toEvent)
  }

  /** @param until the last number that is settled */
  async lastEvent(until: number): Promise<number> {
    const row = await this.#sql.row<{ id: number }>(
      `SELECT greatest((SELECT coalesce(max(id), 0) FROM operations WHERE id <= $1),
        (SELECT coalesce(max(id), 0) FROM events WHERE id <= $1)) AS id`,
      [until],
    )
    return row?.id ?? 0
  }

  /** Reads the first row of each stretch of the due index: one step per combination of capability, provider and rank. */
  async nextDueAt(): Promise<number | undefined> {
    const row = await this.#sql.row<{ at: number | null }>(
      `WITH RECURSIVE stretch AS (
        (SELECT capability, provider, rank, due_at FROM operations WHERE state = 'scheduled' AND held_by IS NULL
          ORDER BY capability, provider, rank, due_at LIMIT 1) UNION ALL
        SELECT n.* FROM stretch s, LATERAL (SELECT o.capability, o.provider, o.rank, o.due_at FROM operations o
          WHERE o.state = 'scheduled' AND o.held_by IS NULL
            AND (o.capability, o.provider, o.rank) > (s.capability, s.provider, s.rank)
          ORDER BY o.capability, o.provider, o.rank, o.due_at LIMIT 1) n)
      SELECT min(due_at) AS at FROM stretch`,
    )
    return row?.at ?? undefined
  }
}

/** The ids of operations with these numbers. */
export const idsOf = (rows: readonly { id: number }[]): string[] => rows.map(({ id }) => toId(id))
