import type { Time } from '../../time/time.ts'
import { LedgerError } from '../error.ts'
import type { EventType } from '../event.ts'
import type { CancelOutcome, Changes } from '../ledger.ts'
import { PRIORITY_LIMIT } from '../operation.ts'
import type { Parking, Unparking } from '../parking.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { ATTEMPTS_PER_OPERATION, numberOf } from '../row/rows.ts'
import { providersOf } from '../row/to-operation.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { Holds } from './holds.ts'
import type { OperationRows } from './operation-rows.ts'
import type { Sql } from './sql.ts'

/** Changes of single operations that no run causes: by people or by time. */
export class Moves {
  readonly #sql: Sql
  readonly #time: Time
  readonly #rows: OperationRows
  readonly #holds: Holds

  constructor(sql: Sql, time: Time, rows: OperationRows, holds: Holds) {
    this.#sql = sql
    this.#time = time
    this.#rows = rows
    this.#holds = holds
  }

  async cancel(id: string, reason: string): Promise<CancelOutcome> {
    const row = await this.#rows.find(id)
    if (!row) return 'missing'
    if (row.state === 'succeeded' || row.state === 'dead') return 'ended'
    if (row.state === 'running') {
      if (row.cancel_requested === 0)
        await this.#move(row, 'cancel_requested', { reason }, 'cancel_requested = 1')
      return 'requested'
    }
    await this.#end(row, 'cancelled', reason)
    return 'cancelled'
  }

  async expire(id: string, reason: string): Promise<boolean> {
    const row = await this.#rows.find(id, 'parked')
    if (row) await this.#end(row, 'expired', reason)
    return row !== undefined
  }

  async revive(id: string, dueAt?: number): Promise<boolean> {
    const row = await this.#rows.find(id, 'dead')
    if (!row) return false
    const at = dueAt ?? this.#time.now()
    await this.#move(
      row,
      'revived',
      { due_at: at, was: row.dead_as },
      `state = 'scheduled', since = $1, due_at = $7, waiting = 'person', mode = 'again', ended_at = NULL, dead_as = NULL,
        reason = NULL, retries = 0, waits = 0, snoozes = 0, retrying_ms = 0, snoozed_ms = 0, first_failed_at = NULL`,
      at,
    )
    return true
  }

  async unpark(id: string, { by, reason }: Unparking): Promise<boolean> {
    const row = await this.#rows.find(id, 'parked')
    if (!row) return false
    await this.#move(
      row,
      'unparked',
      { by, reason, was: row.parked_for },
      `state = 'scheduled', since = $1, due_at = $1, waiting = 'person', parked_for = NULL, reason = $7`,
      withoutSecrets(reason),
    )
    return true
  }

  async park(id: string, { for: parkedFor, origin = 'decision', reason }: Parking): Promise<boolean> {
    const row = await this.#rows.find(id, 'scheduled')
    if (!row) return false
    await this.#move(
      row,
      'parked',
      { for: parkedFor, origin, reason },
      `state = 'parked', since = $1, parked_for = $7, reason = $8, held_by = NULL`,
      parkedFor,
      withoutSecrets(reason),
    )
    return true
  }

  async edit(id: string, changes: Changes): Promise<boolean> {
    const row = await this.#rows.find(id)
    if (row?.state !== 'scheduled' && row?.state !== 'parked') return false
    const { priority, dueAt, providers } = changes
    if (priority !== undefined && !(Number.isInteger(priority) && Math.abs(priority) <= PRIORITY_LIMIT))
      throw new LedgerError(
        'invalid',
        `priority must be an integer from -${PRIORITY_LIMIT} to ${PRIORITY_LIMIT}, not ${priority}`,
      )
    await this.#move(
      row,
      'edited',
      { changed: Object.keys(changes) },
      'params = $7, rank = $8, due_at = $9, provider = $10, providers = $11',
      'params' in changes ? JSON.stringify(changes.params ?? null) : row.params,
      priority === undefined ? row.rank : 0 - priority,
      dueAt ?? row.due_at,
      providers === undefined ? row.provider : providers.length === 1 ? (providers[0] as string) : '',
      providers === undefined ? row.providers : providers.length > 1 ? JSON.stringify(providers) : null,
    )
    if (providers !== undefined) {
      await this.#sql.run(
        'DELETE FROM operation_providers WHERE operation = $1 AND provider = ANY($2::text[])',
        [row.id, providersOf(row)],
      )
      await this.#sql.run(
        'INSERT INTO operation_providers (provider, operation) SELECT DISTINCT name, $1::bigint FROM unnest($2::text[]) name',
        [row.id, providers],
      )
      // It was held for its old providers; the next claim finds out whether the new ones can be used.
      await this.#holds.free([id])
    }
    return true
  }

  async discard(id: string): Promise<boolean> {
    const forgotten = await this.forget([numberOf(id) ?? 0])
    if (forgotten === 0) return false
    await this.#sql.run(
      `INSERT INTO events (id, at, type, operation) VALUES (nextval('numbers'), $1, 'discarded', $2)`,
      [this.#time.now(), numberOf(id)],
    )
    return true
  }

  /**
   * Deletes ended operations without an event each: the caller writes one for all. An operation stays while its workflow
   * step is open, because the workflow must read its end first. Returns how many were deleted.
   */
  async forget(numbers: readonly number[]): Promise<number> {
    const ended = await this.#sql.rows<{ id: number }>(
      `SELECT id FROM operations WHERE id = ANY($1::bigint[]) AND state IN ('succeeded', 'dead') AND NOT (source = 'workflow'
        AND EXISTS (SELECT 1 FROM workflow_steps s WHERE s.operation = operations.id AND s.state = 'open')) FOR UPDATE`,
      [numbers],
    )
    if (ended.length === 0) return 0
    const ids = ended.map(({ id }) => id)
    // Follows the chain of events, and finds attempts by number: neither table has an index by operation.
    await this.#sql.run(
      `WITH RECURSIVE chain AS (
        SELECT e.id, e.operation, e.previous FROM operations o JOIN events e ON e.id = o.last_event AND e.operation = o.id
        WHERE o.id = ANY($1::bigint[]) UNION ALL
        SELECT e.id, e.operation, e.previous FROM chain c JOIN events e ON e.id = c.previous AND e.operation = c.operation)
      DELETE FROM events WHERE id IN (SELECT id FROM chain)`,
      [ids],
    )
    for (const [table, column] of [
      ['failure_texts', 'attempt'],
      ['attempts', 'id'],
    ])
      await this.#sql.run(
        `DELETE FROM ${table} t USING operations o WHERE o.id = ANY($1::bigint[])
          AND t.${column} BETWEEN o.id * ${ATTEMPTS_PER_OPERATION} AND o.id * ${ATTEMPTS_PER_OPERATION} + o.attempts`,
        [ids],
      )
    await this.#sql.run(
      `DELETE FROM operation_providers p USING operations o, json_array_elements_text(
        coalesce(o.providers, json_build_array(o.provider)::text)::json) AS name
        WHERE o.id = ANY($1::bigint[]) AND p.provider = name AND p.operation = o.id`,
      [ids],
    )
    await this.#sql.run(
      `DELETE FROM keys k USING operations o WHERE o.id = ANY($1::bigint[]) AND k.capability = o.capability
        AND k.key = o.key AND k.operation = o.id`,
      [ids],
    )
    await this.#sql.run('DELETE FROM remembered_steps WHERE operation = ANY($1::bigint[])', [ids])
    await this.#sql.run('DELETE FROM operations WHERE id = ANY($1::bigint[])', [ids])
    return ids.length
  }

  #end(row: OperationRow, as: 'cancelled' | 'expired', reason: string): Promise<void> {
    return this.#move(
      row,
      'dead',
      { as, reason },
      `state = 'dead', since = $1, ended_at = $1, dead_as = $7, reason = $8, held_by = NULL, parked_for = NULL`,
      as,
      withoutSecrets(reason),
    )
  }

  async #move(
    row: OperationRow,
    type: EventType,
    data: Record<string, unknown>,
    set: string,
    ...values: (string | number | null)[]
  ): Promise<void> {
    await this.#rows.change(row, { at: this.#time.now(), type, data: withoutSecrets(data), set, values })
  }
}
