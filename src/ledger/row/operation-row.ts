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

/** All columns, in the order that {@link rowOf} expects. */
export const OPERATION_COLUMNS = `id, capability, params, provider, rank, state, due_at, since, waiting, mode, held_by, run,
  attempts, retries, snoozes, waits, retrying_ms, snoozed_ms, first_failed_at, created_at, updated_at, ended_at,
  parked_for, dead_as, reason, class, kind, fingerprint, message, cancel_requested, key, key_retention_ms,
  session, source, context, agent_session, folder, run_provider, run_cost_usd, cost_usd, last_event, result,
  max_retries, retry_for_ms, result_cut, trace`

/** Converts a row read as an array. For many rows, this takes half as long as objects made by the driver. */
export function rowOf([
  id,
  capability,
  params,
  provider,
  rank,
  state,
  due_at,
  since,
  waiting,
  mode,
  held_by,
  run,
  attempts,
  retries,
  snoozes,
  waits,
  retrying_ms,
  snoozed_ms,
  first_failed_at,
  created_at,
  updated_at,
  ended_at,
  parked_for,
  dead_as,
  reason,
  cls,
  kind,
  fingerprint,
  message,
  cancel_requested,
  key,
  key_retention_ms,
  session,
  source,
  context,
  agent_session,
  folder,
  run_provider,
  run_cost_usd,
  cost_usd,
  last_event,
  result,
  max_retries,
  retry_for_ms,
  result_cut,
  trace,
]: readonly unknown[]): OperationRow {
  const row: Record<keyof OperationRow, unknown> = {
    id,
    capability,
    params,
    provider,
    rank,
    state,
    due_at,
    since,
    waiting,
    mode,
    held_by,
    run,
    attempts,
    retries,
    snoozes,
    waits,
    retrying_ms,
    snoozed_ms,
    first_failed_at,
    created_at,
    updated_at,
    ended_at,
    parked_for,
    dead_as,
    reason,
    class: cls,
    kind,
    fingerprint,
    message,
    cancel_requested,
    key,
    key_retention_ms,
    session,
    source,
    context,
    agent_session,
    folder,
    run_provider,
    run_cost_usd,
    cost_usd,
    last_event,
    result,
    max_retries,
    retry_for_ms,
    result_cut,
    trace,
  }
  return row as unknown as OperationRow
}
