import type { LedgerEvent } from '../event.ts'
import type { Operation } from '../operation.ts'
import { LAST_EVENTS } from '../row/last-events.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { providersIn } from '../row/pool-key.ts'
import { type EventRow, numberOf, toEvent } from '../row/rows.ts'
import { type Asking, row, rows } from './asking.ts'
import { operationsOf } from './holds.ts'

/** One operation. */
export function* operationOf(id: string, now: number): Asking<Operation | undefined> {
  const found = yield* rows<OperationRow>('SELECT * FROM operations WHERE id = $1', numberOf(id) ?? 0)
  return (yield* operationsOf(found, now))[0]
}

/** The operation with this key. */
export function* operationOfKey(capability: string, key: string, now: number): Asking<Operation | undefined> {
  const found = yield* rows<OperationRow>(
    'SELECT o.* FROM keys k JOIN operations o ON o.id = k.operation WHERE k.capability = $1 AND k.key = $2',
    capability,
    key,
  )
  return (yield* operationsOf(found, now))[0]
}

/** Events that close a provider, and that open it. The condition is as in the index of events of no operation. */
const ACCESS = `SELECT id, at, type, operation, run, data FROM events WHERE (operation IS NULL OR type = 'discarded')
  AND at BETWEEN $1 AND $2 AND type IN ('provider_blocked', 'provider_freed', 'paused', 'resumed') ORDER BY id`

/** The timeline with what happened meanwhile to the providers that the operation waited for, because that may have held it. */
export function* timelineWithProviders(id: string, now: number): Asking<LedgerEvent[]> {
  const own = yield* timelineOf(id)
  const found = yield* row<Pick<OperationRow, 'provider'>>(
    'SELECT provider FROM operations WHERE id = $1',
    numberOf(id) ?? 0,
  )
  const providers = providersIn(found?.provider ?? '')
  const waits = providers.length === 0 ? [] : waitsIn(own, now)
  const [from, until] = [waits[0]?.from, waits.at(-1)?.until]
  if (from === undefined || until === undefined) return own
  const met = (yield* rows<EventRow>(ACCESS, from, until)).map(toEvent).filter(({ at, data }) => {
    const isIts = providers.includes(data?.provider as string)
    return isIts && waits.some(wait => wait.from <= at && at <= wait.until)
  })
  return met.length === 0 ? own : [...own, ...met].sort((a, b) => a.id - b.id)
}

/** The times between its runs. */
function waitsIn(events: readonly LedgerEvent[], now: number): { from: number; until: number }[] {
  const waits: { from: number; until: number }[] = []
  let from: number | undefined
  for (const { at, type } of events) {
    if (LAST_EVENTS.scheduled.includes(type)) from ??= at
    else if (from !== undefined) {
      waits.push({ from, until: at })
      from = undefined
    }
  }
  return from === undefined ? waits : [...waits, { from, until: now }]
}

/** Follows the chain from the last event back to the submission, which is the operation itself. */
export function* timelineOf(id: string): Asking<LedgerEvent[]> {
  const found = yield* rows<EventRow>(
    `WITH RECURSIVE chain AS (
      SELECT e.id, e.at, e.type, e.operation, e.run, e.previous, e.data FROM operations o JOIN events e
        ON e.id = o.last_event AND e.operation = o.id WHERE o.id = $1 UNION ALL
      SELECT e.id, e.at, e.type, e.operation, e.run, e.previous, e.data FROM chain c JOIN events e
        ON e.id = c.previous AND e.operation = c.operation)
    SELECT * FROM chain UNION ALL SELECT id, created_at, 'submitted', id, NULL, NULL, NULL FROM operations
      WHERE id = $1 ORDER BY id`,
    numberOf(id) ?? 0,
  )
  return found.map(toEvent)
}
