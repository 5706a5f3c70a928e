import type { Operation } from '../ledger/operation.ts'

/** So many operations of a schedule in a row that ended without success are worth telling of. */
export const FAILING_AFTER = 3

/** The operations of a schedule that died in a row, the newest first; what has not ended yet does not count. */
export function failedInARow(operations: readonly Operation[]): readonly Operation[] {
  const ended = operations.filter(({ state }) => state === 'dead' || state === 'succeeded')
  const firstGood = ended.findIndex(
    operation => operation.state !== 'dead' || operation.deadAs === 'cancelled',
  )
  return firstGood < 0 ? ended : ended.slice(0, firstGood)
}
