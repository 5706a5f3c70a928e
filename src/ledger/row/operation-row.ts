import type { FailureClass, FailureKind } from '../../failure/failure.ts'
import type { CancelReason, Mode, ParkReason } from '../../verdict/verdict.ts'
import type { OperationState } from '../operation.ts'

/** What a scheduled operation waits for; only time spent on `retry` counts as retry time. */
export type DueReason = 'first' | 'retry' | 'snooze' | 'hand_back' | 'person'

/** A row of the operations table. */
export interface OperationRow {
  id: number
  capability: string
  params: string
  /** All of its providers: see `pool-key.ts`. */
  provider: string
  rank: number
  state: OperationState
  due_at: number
  since: number
  waiting: DueReason
  mode: Mode
  /** The other engine that has it. */
  held_by: string | null
  run: number
  attempts: number
  retries: number
  snoozes: number
  waits: number
  retrying_ms: number
  snoozed_ms: number
  first_failed_at: number | null
  created_at: number
  updated_at: number
  ended_at: number | null
  parked_for: ParkReason | null
  dead_as: CancelReason | null
  reason: string | null
  class: FailureClass | null
  kind: FailureKind | null
  fingerprint: string | null
  message: string | null
  cancel_requested: number
  key: string | null
  key_retention_ms: number | null
  session: string | null
  source: string
  context: string | null
  agent_session: string | null
  folder: string | null
  run_provider: string | null
  run_cost_usd: number
  cost_usd: number
  last_event: number
  result: string | null
  max_retries: number | null
  retry_for_ms: number | null
  result_cut: number
  trace: string | null
}

/** About how many characters an operation takes on a page: only these columns can be long, and there are many others. */
export function sizeOfOperation({ params, result, context }: OperationRow): number {
  return params.length + (result?.length ?? 0) + (context?.length ?? 0)
}

/**
 * Converts a row read as an array. For many rows, this takes half as long as objects made by the driver; a loop over the names of
 * the columns would take longer than both.
 */
export function rowOf(values: readonly unknown[]): OperationRow {
  let at = 0
  const row: Record<keyof OperationRow, unknown> = {
    id: values[at++],
    capability: values[at++],
    params: values[at++],
    provider: values[at++],
    rank: values[at++],
    state: values[at++],
    due_at: values[at++],
    since: values[at++],
    waiting: values[at++],
    mode: values[at++],
    held_by: values[at++],
    run: values[at++],
    attempts: values[at++],
    retries: values[at++],
    snoozes: values[at++],
    waits: values[at++],
    retrying_ms: values[at++],
    snoozed_ms: values[at++],
    first_failed_at: values[at++],
    created_at: values[at++],
    updated_at: values[at++],
    ended_at: values[at++],
    parked_for: values[at++],
    dead_as: values[at++],
    reason: values[at++],
    class: values[at++],
    kind: values[at++],
    fingerprint: values[at++],
    message: values[at++],
    cancel_requested: values[at++],
    key: values[at++],
    key_retention_ms: values[at++],
    session: values[at++],
    source: values[at++],
    context: values[at++],
    agent_session: values[at++],
    folder: values[at++],
    run_provider: values[at++],
    run_cost_usd: values[at++],
    cost_usd: values[at++],
    last_event: values[at++],
    result: values[at++],
    max_retries: values[at++],
    retry_for_ms: values[at++],
    result_cut: values[at++],
    trace: values[at++],
  }
  return row as unknown as OperationRow
}

/** All columns, in the order in which {@link rowOf} reads them. */
export const OPERATION_COLUMNS = Object.keys(rowOf([])).join(', ')
