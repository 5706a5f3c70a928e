import type { FailureClass, FailureKind } from '../../failure/failure.ts'
import type { CancelReason, Mode, ParkReason } from '../../verdict/index.ts'
import type { Operation, OperationRecord, OperationState } from '../operation.ts'
import { toId } from './rows.ts'

/** What an operation waits for while scheduled; only time spent on `retry` counts as time spent retrying. */
export type Waiting = 'first' | 'retry' | 'snooze' | 'hand_back' | 'person'

export interface OperationRow {
  id: number
  capability: string
  params: string
  provider: string
  providers: string | null
  rank: number
  state: OperationState
  due_at: number
  since: number
  waiting: Waiting
  mode: Mode
  held_by: string | null
  run: number
  attempts: number
  retries: number
  snoozes: number
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
}

/** All columns, in the order that {@link rowOf} wants them. */
export const OPERATION_COLUMNS = `id, capability, params, provider, providers, rank, state, due_at, since, waiting, mode, held_by, run,
  attempts, retries, snoozes, retrying_ms, snoozed_ms, first_failed_at, created_at, updated_at, ended_at,
  parked_for, dead_as, reason, class, kind, fingerprint, message, cancel_requested, key, key_retention_ms,
  session, source, context, agent_session, folder, run_provider, run_cost_usd, cost_usd, last_event, result`

/** A row that came as a list: where many are read, that takes half the time of objects made by the driver. */
export function rowOf([
  id,
  capability,
  params,
  provider,
  providers,
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
]: readonly unknown[]): OperationRow {
  const row: Record<keyof OperationRow, unknown> = {
    id,
    capability,
    params,
    provider,
    providers,
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
  }
  return row as unknown as OperationRow
}

const NO_PROVIDERS: readonly string[] = Object.freeze([])

export function toOperation(row: OperationRow): Operation {
  const record: OperationRecord = {
    id: toId(row.id),
    capability: row.capability,
    params: JSON.parse(row.params) as unknown,
    providers: providersOf(row),
    // Turned around without making a negative zero.
    priority: 0 - row.rank,
    source: row.source,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    run: row.run,
    attempts: row.attempts,
    retries: row.retries,
    snoozes: row.snoozes,
    retryingMs: row.retrying_ms,
    snoozedMs: row.snoozed_ms,
    costUsd: row.cost_usd,
  }
  if (row.key !== null) record.key = row.key
  if (row.session !== null) record.session = row.session
  if (row.context !== null) record.context = JSON.parse(row.context) as unknown
  if (row.first_failed_at !== null) record.firstFailedAt = row.first_failed_at
  if (row.agent_session !== null) record.agentSession = row.agent_session
  if (row.folder !== null) record.folder = row.folder
  if (row.reason !== null) record.reason = row.reason
  if (row.class !== null)
    record.failure = {
      class: row.class,
      kind: row.kind as FailureKind,
      message: row.message ?? '',
      fingerprint: row.fingerprint ?? '',
    }
  return Object.assign(record, inState(row)) as OperationRecord as Operation
}

/** What only operations of this state have. */
function inState(row: OperationRow): Record<string, unknown> {
  const { state } = row
  switch (state) {
    case 'scheduled':
      return {
        state,
        dueAt: row.due_at,
        mode: row.mode,
        ...(row.held_by === null ? {} : { heldBy: row.held_by }),
      }
    case 'running':
      return { state, mode: row.mode, startedAt: row.since, cancelRequested: row.cancel_requested === 1 }
    case 'parked':
      return { state, parkedFor: row.parked_for, parkedAt: row.since }
    case 'succeeded':
      return {
        state,
        endedAt: row.ended_at,
        ...(row.result === null ? {} : { result: JSON.parse(row.result) as unknown }),
      }
    case 'dead':
      return { state, deadAs: row.dead_as, endedAt: row.ended_at }
  }
}

export function providersOf(row: Pick<OperationRow, 'provider' | 'providers'>): readonly string[] {
  if (row.providers !== null) return JSON.parse(row.providers) as string[]
  return row.provider === '' ? NO_PROVIDERS : [row.provider]
}
