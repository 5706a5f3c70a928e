import type { FailureClass, FailureKind } from '../../failure/failure.ts'
import type { CancelReason, Mode, ParkReason } from '../../verdict/index.ts'
import { type Attempt, MOST_ATTEMPTS } from '../attempt.ts'
import { LedgerError } from '../error.ts'
import type { EventType, LedgerEvent } from '../event.ts'
import type { Operation, OperationState } from '../operation.ts'

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

const NO_PROVIDERS: readonly string[] = Object.freeze([])

/** Operations are called `op_` and their number, which people can type. */
export function toId(number: number): string {
  return `op_${number}`
}

/** The number of an operation's id; undefined if it cannot be one. */
export function numberOf(id: string): number | undefined {
  const number = id.startsWith('op_') ? Number(id.slice(3)) : Number.NaN
  return Number.isSafeInteger(number) && number > 0 && toId(number) === id ? number : undefined
}

export function attemptRowId(operation: number, number: number): number {
  if (number > MOST_ATTEMPTS)
    throw new LedgerError('invalid', `${toId(operation)} has ${MOST_ATTEMPTS} attempts: no more are kept`)
  return operation * (MOST_ATTEMPTS + 1) + number
}

export function operationOfAttempt(rowId: number): number {
  return Math.floor(rowId / (MOST_ATTEMPTS + 1))
}

export function toOperation(row: OperationRow): Operation {
  const record = {
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
    ...(row.key === null ? {} : { key: row.key }),
    ...(row.session === null ? {} : { session: row.session }),
    ...(row.context === null ? {} : { context: JSON.parse(row.context) as unknown }),
    ...(row.first_failed_at === null ? {} : { firstFailedAt: row.first_failed_at }),
    ...(row.agent_session === null ? {} : { agentSession: row.agent_session }),
    ...(row.folder === null ? {} : { folder: row.folder }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...failureOf(row),
  }
  switch (row.state) {
    case 'scheduled':
      return {
        ...record,
        state: 'scheduled',
        dueAt: row.due_at,
        mode: row.mode,
        ...(row.held_by === null ? {} : { heldBy: row.held_by }),
      }
    case 'running':
      return {
        ...record,
        state: 'running',
        mode: row.mode,
        startedAt: row.since,
        cancelRequested: row.cancel_requested === 1,
      }
    case 'parked':
      return { ...record, state: 'parked', parkedFor: row.parked_for as ParkReason, parkedAt: row.since }
    case 'succeeded':
      return {
        ...record,
        state: 'succeeded',
        endedAt: row.ended_at as number,
        ...(row.result === null ? {} : { result: JSON.parse(row.result) as unknown }),
      }
    case 'dead':
      return {
        ...record,
        state: 'dead',
        deadAs: row.dead_as as CancelReason,
        endedAt: row.ended_at as number,
      }
  }
}

export function providersOf(row: Pick<OperationRow, 'provider' | 'providers'>): readonly string[] {
  if (row.providers !== null) return JSON.parse(row.providers) as string[]
  return row.provider === '' ? NO_PROVIDERS : [row.provider]
}

function failureOf(row: OperationRow): Pick<Operation, 'failure'> {
  if (row.class === null) return {}
  return {
    failure: {
      class: row.class,
      kind: row.kind as FailureKind,
      message: row.message ?? '',
      fingerprint: row.fingerprint ?? '',
    },
  }
}

export interface AttemptRow {
  id: number
  run: number
  started_at: number
  ended_at: number
  provider: string | null
  model: string | null
  failure: string | null
  verdict: string | null
  cost_usd: number | null
  turns: number | null
  session_id: string | null
  note: string | null
}

export function toAttempt(row: AttemptRow): Attempt {
  const operation = operationOfAttempt(row.id)
  return {
    operation: toId(operation),
    number: row.id - attemptRowId(operation, 0),
    run: row.run,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    ...(row.provider === null ? {} : { provider: row.provider }),
    ...(row.model === null ? {} : { model: row.model }),
    ...(row.failure === null ? {} : { failure: JSON.parse(row.failure) }),
    ...(row.verdict === null ? {} : { verdict: JSON.parse(row.verdict) }),
    ...(row.cost_usd === null ? {} : { costUsd: row.cost_usd }),
    ...(row.turns === null ? {} : { turns: row.turns }),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    ...(row.note === null ? {} : { note: JSON.parse(row.note) as unknown }),
  }
}

export interface EventRow {
  id: number
  at: number
  type: EventType
  operation: number | null
  run: number | null
  previous: number | null
  data: string | null
}

export function toEvent(row: EventRow): LedgerEvent {
  return {
    id: row.id,
    at: row.at,
    type: row.type,
    ...(row.operation === null ? {} : { operation: toId(row.operation) }),
    ...(row.run === null ? {} : { run: row.run }),
    ...(row.data === null ? {} : { data: JSON.parse(row.data) }),
  }
}
