import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Time } from '../../time/time.ts'
import { LedgerError } from '../error.ts'
import type { EventType } from '../event.ts'
import type { CancelOutcome, Changes } from '../ledger.ts'
import { type OperationState, PRIORITY_LIMIT } from '../operation.ts'
import type { Parking, Unparking } from '../parking.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { attemptRowId, numberOf } from '../row/rows.ts'
import { providersOf } from '../row/to-operation.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { EventLog } from './event-log.ts'
import type { Holds } from './holds.ts'
import type { WorkflowRecords } from './workflow-records.ts'

/** Changes to single operations that are not caused by a run: by people, or by time. */
export class Moves {
  readonly #time: Time
  readonly #events: EventLog
  readonly #holds: Holds
  readonly #workflows: WorkflowRecords
  readonly #row: StatementSync
  readonly #requestCancel: StatementSync
  readonly #die: StatementSync
  readonly #schedule: StatementSync
  readonly #revive: StatementSync
  readonly #park: StatementSync
  readonly #edit: StatementSync
  readonly #provider: StatementSync
  readonly #noProviders: StatementSync
  readonly #previous: StatementSync
  readonly #forget: readonly StatementSync[]
  readonly #forgetEvent: StatementSync

  constructor(db: DatabaseSync, time: Time, events: EventLog, holds: Holds, workflows: WorkflowRecords) {
    this.#time = time
    this.#events = events
    this.#holds = holds
    this.#workflows = workflows
    const update = (changes: string) =>
      db.prepare(`UPDATE operations SET updated_at = ?, last_event = ?, ${changes} WHERE id = ?`)
    this.#row = db.prepare('SELECT * FROM operations WHERE id = ?')
    this.#requestCancel = update('cancel_requested = 1')
    this.#die = update(`state = 'dead', since = ?, ended_at = ?, dead_as = ?, reason = ?, held_by = NULL,
      parked_for = NULL`)
    this.#schedule =
      update(`state = 'scheduled', since = ?, due_at = ?, waiting = 'person', parked_for = NULL,
      reason = ?`)
    this.#revive = update(`state = 'scheduled', since = ?, due_at = ?, waiting = 'person', mode = 'again',
      ended_at = NULL, dead_as = NULL, reason = NULL, retries = 0, waits = 0, snoozes = 0, retrying_ms = 0, snoozed_ms = 0,
      first_failed_at = NULL`)
    this.#park = update(`state = 'parked', since = ?, parked_for = ?, reason = ?, held_by = NULL`)
    this.#edit = update('params = ?, rank = ?, due_at = ?, provider = ?, providers = ?')
    this.#provider = db.prepare(
      'INSERT OR IGNORE INTO operation_providers (provider, operation) VALUES (?, ?)',
    )
    this.#noProviders = db.prepare('DELETE FROM operation_providers WHERE provider = ? AND operation = ?')
    this.#previous = db.prepare('SELECT previous FROM events WHERE id = ?')
    this.#forget = [
      'DELETE FROM failure_texts WHERE rowid BETWEEN ? AND ?',
      'DELETE FROM attempts WHERE id BETWEEN ? AND ?',
      'DELETE FROM keys WHERE capability = ? AND key = ? AND operation = ?',
      'DELETE FROM remembered_steps WHERE operation = ?',
      'DELETE FROM operations WHERE id = ?',
    ].map(sql => db.prepare(sql))
    this.#forgetEvent = db.prepare('DELETE FROM events WHERE id = ?')
  }

  cancel(id: string, reason: string): CancelOutcome {
    const row = this.#find(id)
    if (!row) return 'missing'
    if (row.state === 'succeeded' || row.state === 'dead') return 'ended'
    if (row.state === 'running') {
      if (row.cancel_requested === 0) this.#move(row, 'cancel_requested', { reason }, this.#requestCancel)
      return 'requested'
    }
    this.#end(row, 'cancelled', reason)
    return 'cancelled'
  }

  expire(id: string, reason: string): boolean {
    const row = this.#find(id, 'parked')
    if (row) this.#end(row, 'expired', reason)
    return row !== undefined
  }

  revive(id: string, dueAt?: number): boolean {
    const row = this.#find(id, 'dead')
    if (!row) return false
    const now = this.#time.now()
    const at = dueAt ?? now
    this.#move(row, 'revived', { due_at: at, was: row.dead_as }, this.#revive, now, at)
    return true
  }

  unpark(id: string, { by, reason }: Unparking): boolean {
    const row = this.#find(id, 'parked')
    if (!row) return false
    const now = this.#time.now()
    const told = withoutSecrets(reason)
    this.#move(row, 'unparked', { by, reason, was: row.parked_for }, this.#schedule, now, now, told)
    return true
  }

  park(id: string, { for: parkedFor, origin = 'decision', reason }: Parking): boolean {
    const row = this.#find(id, 'scheduled')
    if (!row) return false
    const told = withoutSecrets(reason)
    const data = { for: parkedFor, origin, reason }
    this.#move(row, 'parked', data, this.#park, this.#time.now(), parkedFor, told)
    return true
  }

  edit(id: string, changes: Changes): boolean {
    const row = this.#find(id)
    if (row?.state !== 'scheduled' && row?.state !== 'parked') return false
    const { priority, dueAt, providers } = changes
    if (priority !== undefined && !(Number.isInteger(priority) && Math.abs(priority) <= PRIORITY_LIMIT))
      throw new LedgerError(
        'invalid',
        `priority must be an integer from -${PRIORITY_LIMIT} to ${PRIORITY_LIMIT}, not ${priority}`,
      )
    const params = 'params' in changes ? JSON.stringify(changes.params ?? null) : row.params
    this.#move(
      row,
      'edited',
      { changed: Object.keys(changes) },
      this.#edit,
      params,
      priority === undefined ? row.rank : 0 - priority,
      dueAt ?? row.due_at,
      providers === undefined ? row.provider : providers.length === 1 ? (providers[0] as string) : '',
      providers === undefined ? row.providers : providers.length > 1 ? JSON.stringify(providers) : null,
    )
    if (providers !== undefined) {
      for (const old of providersOf(row)) this.#noProviders.run(old, row.id)
      for (const provider of providers) this.#provider.run(provider, row.id)
      // It was held for its old providers; the next claim finds out whether the new ones can be used.
      this.#holds.free([id])
    }
    return true
  }

  discard(id: string): boolean {
    // Reserved before the deletion: the number that was the highest until now must not be used again.
    const event = this.#events.next()
    const forgotten = this.forget(id)
    if (forgotten) this.#events.discarded(event, numberOf(id) as number, this.#time.now())
    return forgotten
  }

  /** Deletes without an event, for callers that write one event for many deletions. */
  forget(id: string): boolean {
    const row = this.#find(id)
    if (row?.state !== 'succeeded' && row?.state !== 'dead') return false
    // The workflow must read its end first.
    if (this.#workflows.needs(row.id)) return false
    for (let event = row.last_event; event !== row.id; ) {
      const { previous } = this.#previous.get(event) as { previous: number }
      this.#forgetEvent.run(event)
      event = previous
    }
    for (const provider of providersOf(row)) this.#noProviders.run(provider, row.id)
    const [texts, attempts, keys, remembered, operations] = this.#forget as [
      StatementSync,
      StatementSync,
      StatementSync,
      StatementSync,
      StatementSync,
    ]
    if (row.attempts > 0) {
      const range = [attemptRowId(row.id, 0), attemptRowId(row.id, row.attempts)] as const
      if (row.class !== null) texts.run(...range)
      attempts.run(...range)
    }
    if (row.key !== null) keys.run(row.capability, row.key, row.id)
    remembered.run(row.id)
    operations.run(row.id)
    return true
  }

  #find(id: string, state?: OperationState): OperationRow | undefined {
    const row = this.#row.get(numberOf(id) ?? 0) as unknown as OperationRow | undefined
    return state === undefined || row?.state === state ? row : undefined
  }

  #end(row: OperationRow, as: 'cancelled' | 'expired', reason: string): void {
    const now = this.#time.now()
    this.#move(row, 'dead', { as, reason }, this.#die, now, now, as, withoutSecrets(reason))
  }

  #move(
    row: OperationRow,
    type: EventType,
    data: Record<string, unknown>,
    update: StatementSync,
    ...values: (string | number | null)[]
  ): void {
    const now = this.#time.now()
    const event = this.#events.of(row, now, type, withoutSecrets(data))
    update.run(now, event, ...values, row.id)
  }
}
