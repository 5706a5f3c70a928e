import type { FailureKind } from '../../failure/failure.ts'
import type { Operation, OperationRecord } from '../operation.ts'
import type { Trace } from '../trace.ts'
import type { OperationRow } from './operation-row.ts'
import { providersIn } from './pool-key.ts'
import { readJson, storedJson, toId } from './rows.ts'

/**
 * Converts a row to an operation.
 * @param heldBy the provider that it waits for. Default none
 */
export function toOperation(row: OperationRow, heldBy?: string): Operation {
  const record: OperationRecord = {
    id: toId(row.id),
    capability: row.capability,
    params: storedJson(row.params),
    providers: providersIn(row.provider),
    // Negate without producing a negative zero.
    priority: 0 - row.rank,
    source: row.source,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    run: row.run,
    attempts: row.attempts,
    retries: row.retries,
    snoozes: row.snoozes,
    waits: row.waits,
    retryingMs: row.retrying_ms,
    snoozedMs: row.snoozed_ms,
    costUsd: row.cost_usd,
  }
  if (row.key !== null) record.key = row.key
  if (row.session !== null) record.session = row.session
  if (row.max_retries !== null) record.maxRetries = row.max_retries
  if (row.retry_for_ms !== null) record.retryForMs = row.retry_for_ms
  if (row.trace !== null) {
    const trace = readJson<Trace>(row.trace)
    if (trace) record.trace = trace
  }
  if (row.context !== null) record.context = storedJson(row.context)
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
  return Object.assign(record, inState(row, row.held_by ?? heldBy)) as OperationRecord as Operation
}

/** The fields that only operations in this state have. */
function inState(row: OperationRow, heldBy: string | undefined): Record<string, unknown> {
  const { state } = row
  switch (state) {
    case 'scheduled':
      return {
        state,
        dueAt: row.due_at,
        mode: row.mode,
        ...(heldBy === undefined ? {} : { heldBy }),
      }
    case 'running':
      return { state, mode: row.mode, startedAt: row.since, cancelRequested: row.cancel_requested === 1 }
    case 'parked':
      return { state, parkedFor: row.parked_for, parkedAt: row.since }
    case 'succeeded':
      return {
        state,
        endedAt: row.ended_at,
        ...(row.result === null ? {} : { result: storedJson(row.result) }),
        ...(row.result_cut === 1 ? { resultCut: true } : {}),
      }
    case 'dead':
      return { state, deadAs: row.dead_as, endedAt: row.ended_at }
  }
}
