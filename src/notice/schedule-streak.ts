import type { Operation } from '../ledger/operation.ts'

/** A schedule is reported when this many of its operations in a row died. */
export const FAILING_AFTER = 1
/** The same for a schedule that failed and recovered within the last day, so that one that comes and goes is no stream. */
export const FLAPPING_AFTER = 3

/** The latest unbroken run of dead operations of a schedule, newest first. Operations that have not ended are ignored. */
export function failedInARow(operations: readonly Operation[]): readonly Operation[] {
  const ended = operations.filter(({ state }) => state === 'dead' || state === 'succeeded')
  const firstGood = ended.findIndex(
    operation => operation.state !== 'dead' || operation.deadAs === 'cancelled',
  )
  return firstGood < 0 ? ended : ended.slice(0, firstGood)
}
