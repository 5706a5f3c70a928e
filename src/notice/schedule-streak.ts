import type { Operation } from '../ledger/operation.ts'

/** A schedule whose last 3 operations all died is reported. */
export const FAILING_AFTER = 3

/** The latest unbroken run of dead operations of a schedule, newest first. Operations that have not ended are ignored. */
export function failedInARow(operations: readonly Operation[]): readonly Operation[] {
  const ended = operations.filter(({ state }) => state === 'dead' || state === 'succeeded')
  const firstGood = ended.findIndex(
    operation => operation.state !== 'dead' || operation.deadAs === 'cancelled',
  )
  return firstGood < 0 ? ended : ended.slice(0, firstGood)
}
