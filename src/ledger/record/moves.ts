import { present } from '../../failure/present.ts'
import type { Time } from '../../time/time.ts'
import { engineOf } from '../citizen.ts'
import { LedgerError } from '../error.ts'
import type { EventType } from '../event.ts'
import type { CancelOutcome, Changes, MarkedDone } from '../ledger.ts'
import { PRIORITY_LIMIT } from '../operation.ts'
import type { Parking, Unparking } from '../parking.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { poolKey, providersIn } from '../row/pool-key.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { type AskedValue, type Asking, row } from './asking.ts'
import { changed, operationRow } from './operation-rows.ts'

// Changes of single operations that no run causes: by people, or by time.

/** Cancels an operation that is not running; asks the runner, or the engine that dispatches it, to cancel others. */
export function* cancel(id: string, reason: string, time: Time): Asking<CancelOutcome> {
  const found = yield* operationRow(id)
  if (!found) return 'missing'
  if (found.state === 'succeeded' || found.state === 'dead') return 'ended'
  const isRunning = found.state === 'running'
  if (!isRunning && engineOf(found.capability) === undefined) {
    yield* end(found, 'cancelled', reason, time)
    return 'cancelled'
  }
  if (found.cancel_requested === 0) {
    // A worker connected to its engine claims it, and ends it there.
    const due = `, state = 'scheduled', since = $1, due_at = $1, waiting = 'person', parked_for = NULL, held_by = NULL`
    const set = `cancel_requested = 1${isRunning ? '' : due}`
    yield* move(found, time.now(), 'cancel_requested', { reason }, set)
  }
  return 'requested'
}

/** Ends a parked operation that has waited too long. */
export function* expire(id: string, reason: string, time: Time): Asking<boolean> {
  const found = yield* operationRow(id, 'parked')
  if (found) yield* end(found, 'expired', reason, time)
  return found !== undefined
}

/** Schedules a dead operation with fresh counters. */
export function* revive(id: string, dueAt: number | undefined, time: Time): Asking<boolean> {
  const found = yield* operationRow(id, 'dead')
  if (!found) return false
  const now = time.now()
  const at = dueAt ?? now
  yield* move(
    found,
    now,
    'revived',
    { due_at: at, was: found.dead_as },
    `state = 'scheduled', since = $1, due_at = $7, waiting = 'person', mode = 'again', ended_at = NULL, dead_as = NULL,
      cancel_requested = 0,
      reason = NULL, retries = 0, waits = 0, snoozes = 0, retrying_ms = 0, snoozed_ms = 0, first_failed_at = NULL`,
    at,
  )
  return true
}

/** Schedules a parked operation, because what it waited for is there. */
export function* unpark(id: string, { by, reason }: Unparking, time: Time): Asking<boolean> {
  const found = yield* operationRow(id, 'parked')
  if (!found) return false
  yield* move(
    found,
    time.now(),
    'unparked',
    { by, reason, was: found.parked_for },
    `state = 'scheduled', since = $1, due_at = $1, waiting = 'person', parked_for = NULL, reason = $7`,
    withoutSecrets(reason),
  )
  return true
}

/** Parks a scheduled operation. */
export function* park(
  id: string,
  { for: parkedFor, origin = 'decision', reason }: Parking,
  time: Time,
): Asking<boolean> {
  const found = yield* operationRow(id, 'scheduled')
  if (!found) return false
  yield* move(
    found,
    time.now(),
    'parked',
    { for: parkedFor, origin, reason },
    `state = 'parked', since = $1, parked_for = $7, reason = $8, held_by = NULL`,
    parkedFor,
    withoutSecrets(reason),
  )
  return true
}

/** Ends a dead or parked operation as succeeded, because a person saw that its work is done. */
export function* markDone(
  id: string,
  { result, resultCut = false, by, reason }: MarkedDone,
  time: Time,
): Asking<boolean> {
  const found = yield* operationRow(id)
  if (found?.state !== 'dead' && found?.state !== 'parked') return false
  yield* move(
    found,
    time.now(),
    'succeeded',
    { marked_by: by, was: found.dead_as ?? found.parked_for, ...present({ reason }) },
    `state = 'succeeded', since = $1, ended_at = $1, dead_as = NULL, parked_for = NULL, reason = NULL, result = $7,
      result_cut = $8`,
    result === undefined ? null : JSON.stringify(result),
    resultCut ? 1 : 0,
  )
  return true
}

/** Changes a scheduled or parked operation. */
export function* edit(id: string, changes: Changes, time: Time): Asking<boolean> {
  const found = yield* operationRow(id)
  if (found?.state !== 'scheduled' && found?.state !== 'parked') return false
  const { priority, dueAt, providers } = changes
  if (priority !== undefined && !(Number.isInteger(priority) && Math.abs(priority) <= PRIORITY_LIMIT))
    throw new LedgerError(
      'invalid',
      `priority must be an integer from -${PRIORITY_LIMIT} to ${PRIORITY_LIMIT}, not ${priority}`,
    )
  const now = time.now()
  const event = yield* move(
    found,
    now,
    'edited',
    { changed: Object.keys(changes) },
    'params = $7, rank = $8, due_at = $9, provider = $10',
    'params' in changes ? JSON.stringify(changes.params ?? null) : found.params,
    priority === undefined ? found.rank : 0 - priority,
    dueAt ?? found.due_at,
    providers === undefined ? found.provider : poolKey(providers),
  )
  if (providers !== undefined) yield* replaceProviders(found, providers)
  // A worker connected to its engine claims it, and makes the change there.
  if (found.held_by !== null)
    yield* move(
      { ...found, last_event: event },
      now,
      'freed',
      { by: found.held_by },
      'since = $1, held_by = NULL',
    )
  return true
}

function* replaceProviders(found: OperationRow, providers: readonly string[]): Asking<void> {
  yield* row(
    'DELETE FROM operation_providers WHERE provider = ANY($1::text[]) AND operation = $2',
    providersIn(found.provider),
    found.id,
  )
  for (const provider of new Set(providers))
    yield* row('INSERT INTO operation_providers (provider, operation) VALUES ($1, $2)', provider, found.id)
}

function end(found: OperationRow, as: 'cancelled' | 'expired', reason: string, time: Time): Asking<number> {
  return move(
    found,
    time.now(),
    'dead',
    { as, reason },
    `state = 'dead', since = $1, ended_at = $1, dead_as = $7, reason = $8, held_by = NULL, parked_for = NULL`,
    as,
    withoutSecrets(reason),
  )
}

function move(
  found: OperationRow,
  at: number,
  type: EventType,
  data: Record<string, unknown>,
  set: string,
  ...values: readonly AskedValue[]
): Asking<number> {
  return changed(found, { at, type, data: withoutSecrets(data), set, values })
}
