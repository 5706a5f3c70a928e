import type { DatabaseSync } from 'node:sqlite'
import type { OperationFilter } from '../filter.ts'

/**
 * Whether a list is empty because nothing waits for what it asks for. Runners ask that when they start, and usually nothing
 * does: a thread for the answer would cost more than everything else that a connected worker does.
 */
export function isNoneParked(db: DatabaseSync, { parkedFor, state }: OperationFilter): boolean {
  if (parkedFor !== undefined)
    return db.prepare('SELECT 1 FROM operations WHERE parked_for = ? LIMIT 1').get(parkedFor) === undefined
  if (state !== 'parked') return false
  return db.prepare('SELECT 1 FROM operations WHERE parked_for IS NOT NULL LIMIT 1').get() === undefined
}
