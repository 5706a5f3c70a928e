import type { Fence, OperationState } from '../operation.ts'
import type { OperationRow } from '../row/operation-row.ts'
import { numberOf } from '../row/rows.ts'
import type { Stale } from '../settlement.ts'
import { type Asking, type Change, numberFrom, row } from './asking.ts'

/** The columns that the writes of a run depend on. */
export type RunningRow = Pick<
  OperationRow,
  'id' | 'state' | 'run' | 'since' | 'due_at' | 'attempts' | 'last_event' | 'cancel_requested'
>

/** The row, if it is there and in the given state, if any. Locked, so that it cannot change before the decision is written. */
export function* operationRow(id: string, state?: OperationState): Asking<OperationRow | undefined> {
  const found = yield* row<OperationRow>(
    'SELECT * FROM operations WHERE id = $1 FOR UPDATE',
    numberOf(id) ?? 0,
  )
  return state === undefined || found?.state === state ? found : undefined
}

/** The row, if exactly this run is still running. */
export function* runningRow({ id, run }: Fence): Asking<RunningRow | Stale> {
  const found = yield* row<RunningRow>(
    'SELECT id, state, run, since, due_at, attempts, last_event, cancel_requested FROM operations WHERE id = $1 FOR UPDATE',
    numberOf(id) ?? 0,
  )
  if (found?.state === 'running' && found.run === run) return found
  return { settled: false, stale: true, run: found?.run ?? 0 }
}

/** Writes a change and its event. Returns the number of the event. */
export function changed(
  { id, run, last_event }: Pick<OperationRow, 'id' | 'run' | 'last_event'>,
  change: Change,
): Asking<number> {
  return numberFrom({ change, of: { id, run, last_event } })
}
