import type { LedgerEvent } from '../event.ts'
import type { Operation } from '../operation.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { type EventRow, numberOf, toEvent } from '../row/rows.ts'
import { toOperation } from '../row/to-operation.ts'
import { type Asking, row, rows } from './asking.ts'

/** One operation. */
export function* operationOf(id: string): Asking<Operation | undefined> {
  const found = yield* row<OperationRow>('SELECT * FROM operations WHERE id = $1', numberOf(id) ?? 0)
  return found && toOperation(found)
}

/** The operation with this key. */
export function* operationOfKey(capability: string, key: string): Asking<Operation | undefined> {
  const found = yield* row<OperationRow>(
    'SELECT o.* FROM keys k JOIN operations o ON o.id = k.operation WHERE k.capability = $1 AND k.key = $2',
    capability,
    key,
  )
  return found && toOperation(found)
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
