import type { Capability } from '../capability/capability.ts'
import { hideSecrets } from '../capability/secret/hide-secrets.ts'
import { failureToJson } from '../failure/json.ts'
import type { Attempt } from '../ledger/attempt.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { Operation } from '../ledger/operation.ts'
import { timeToJson } from '../time/time-json.ts'
import { verdictToJson } from '../verdict/json.ts'

/** What is known about an operation besides its record. */
export interface OperationBackground {
  /** Its capability, which names its secrets. Default: hides only what looks like a secret. */
  capability?: Pick<Capability, 'secrets' | 'maxRetries'> | undefined
  /** Retry limit of operations whose capability sets none. */
  maxRetries: number
}

/** How many retries it has left in the queue; those in the caller's process and waits for limits, people and runners do not count. */
export function remainingRetries(
  operation: Pick<Operation, 'waits' | 'maxRetries'>,
  { capability, maxRetries }: OperationBackground,
): number {
  return Math.max(0, (operation.maxRetries ?? capability?.maxRetries ?? maxRetries) - operation.waits)
}

/** Why it is in its state; a running or succeeded operation needs no reason. */
export function standingReason({ state, reason }: Operation): string | undefined {
  return state === 'running' || state === 'succeeded' ? undefined : reason
}

/** An operation in JSON: secrets hidden, points in time as RFC 3339 UTC, durations in `…_ms`. */
export function operationToJson(
  operation: Operation,
  background: OperationBackground,
): Record<string, unknown> {
  const { id, capability, state, providers, priority, run, attempts, retries, snoozes } = operation
  return {
    id,
    capability,
    state,
    ...stateToJson(operation, background),
    ...present({ reason: standingReason(operation), failure: operation.failure, key: operation.key }),
    params: hideSecrets(operation.params, background.capability),
    providers,
    priority,
    source: operation.source,
    ...present({ session: operation.session, context: operation.context }),
    ...present({ traceparent: operation.trace?.traceparent }),
    created_at: timeToJson(operation.createdAt),
    updated_at: timeToJson(operation.updatedAt),
    run,
    attempts,
    retries,
    remaining_retries: remainingRetries(operation, background),
    waits: operation.waits,
    snoozes,
    retrying_ms: operation.retryingMs,
    snoozed_ms: operation.snoozedMs,
    ...(operation.firstFailedAt === undefined
      ? {}
      : { first_failed_at: timeToJson(operation.firstFailedAt) }),
    cost_usd: operation.costUsd,
    ...present({ max_retries: operation.maxRetries, retry_for_ms: operation.retryForMs }),
    ...present({ agent_session: operation.agentSession, folder: operation.folder }),
  }
}

function stateToJson(operation: Operation, { capability }: OperationBackground): Record<string, unknown> {
  switch (operation.state) {
    case 'scheduled':
      return {
        due_at: timeToJson(operation.dueAt),
        mode: operation.mode,
        ...present({ held_by: operation.heldBy }),
      }
    case 'running':
      return {
        started_at: timeToJson(operation.startedAt),
        mode: operation.mode,
        cancel_requested: operation.cancelRequested,
      }
    case 'parked':
      return { parked_for: operation.parkedFor, parked_at: timeToJson(operation.parkedAt) }
    case 'succeeded':
      return {
        ended_at: timeToJson(operation.endedAt),
        ...present({
          result: operation.result === undefined ? undefined : hideSecrets(operation.result, capability),
          result_cut: operation.resultCut,
        }),
      }
    case 'dead':
      return { dead_as: operation.deadAs, ended_at: timeToJson(operation.endedAt) }
  }
}

/** One try of an operation in JSON. */
export function triedToJson(attempt: Attempt): Record<string, unknown> {
  const { number, run, provider, model, failure, verdict, costUsd, turns, sessionId, note } = attempt
  return {
    number,
    run,
    started_at: timeToJson(attempt.startedAt),
    ended_at: timeToJson(attempt.endedAt),
    ...present({ provider, model }),
    ...(failure ? { failure: failureToJson(failure) } : {}),
    ...(verdict ? { verdict: verdictToJson(verdict) } : {}),
    ...present({ cost_usd: costUsd, turns, session_id: sessionId, note }),
  }
}

/** An event in JSON. */
export function eventToJson({ id, at, type, operation, run, data }: LedgerEvent): Record<string, unknown> {
  const due = typeof data?.due_at === 'number' ? { due_at: timeToJson(data.due_at) } : {}
  const until = typeof data?.until === 'number' ? { until: timeToJson(data.until) } : {}
  return {
    id,
    at: timeToJson(at),
    type,
    ...present({ operation, run }),
    ...(data === undefined ? {} : { data: { ...data, ...due, ...until } }),
  }
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
