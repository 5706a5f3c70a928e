import type { Failure } from '../../failure/failure.ts'
import type { TokenUsage } from '../../failure/stream/usage.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { type Attempt, MOST_ATTEMPTS } from '../attempt.ts'
import { LedgerError } from '../error.ts'
import type { EventType, LedgerEvent } from '../event.ts'
import { filled } from './filled.ts'
import { withOrigin } from './origins-of-old-events.ts'

/** The id of an operation: `op_` and its number, which people can type. */
export function toId(number: number): string {
  return `op_${number}`
}

/** The number of an operation's id; undefined if the id is invalid. */
export function numberOf(id: string): number | undefined {
  const number = id.startsWith('op_') ? Number(id.slice(3)) : Number.NaN
  return Number.isSafeInteger(number) && number > 0 && toId(number) === id ? number : undefined
}

/** Attempts have no index of their own: their row ids sort by operation, then by attempt number. */
/** Row ids reserved for the attempts of one operation. */
export const ATTEMPTS_PER_OPERATION = MOST_ATTEMPTS + 1

export function attemptRowId(operation: number, number: number): number {
  if (number > MOST_ATTEMPTS)
    throw new LedgerError(
      'invalid',
      `${toId(operation)} already has ${MOST_ATTEMPTS} attempts, which is the maximum`,
    )
  return operation * ATTEMPTS_PER_OPERATION + number
}

/** The number of the operation that an attempt belongs to. */
export function operationOfAttempt(rowId: number): number {
  return Math.floor(rowId / ATTEMPTS_PER_OPERATION)
}

/** A row of the attempts table. */
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
  usage: string | null
  turns: number | null
  session_id: string | null
  note: string | null
}

/** Converts a row to an attempt. */
export function toAttempt(row: AttemptRow): Attempt {
  const operation = operationOfAttempt(row.id)
  const columns = filled({
    operation: toId(operation),
    number: row.id - attemptRowId(operation, 0),
    run: row.run,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    provider: row.provider,
    model: row.model,
    failure: readJson<Failure>(row.failure),
    verdict: readJson<Verdict>(row.verdict),
    costUsd: row.cost_usd,
    usage: readJson<TokenUsage>(row.usage),
    turns: row.turns,
    sessionId: row.session_id,
  })
  return row.note === null ? columns : { ...columns, note: storedJson(row.note) }
}

/** A row of the events table. */
export interface EventRow {
  id: number
  at: number
  type: EventType
  operation: number | null
  run: number | null
  previous: number | null
  data: string | null
}

/** Converts a row to an event. */
export function toEvent(row: EventRow): LedgerEvent {
  const { id, at, type, operation, run } = row
  const data = withOrigin(type, readJson<Record<string, unknown>>(row.data))
  return filled({ id, at, type, operation: operation === null ? null : toId(operation), run, data })
}

/** The columns of {@link EventRow} in order. */
export type EventColumns = [
  id: number,
  at: number,
  type: EventType,
  operation: number | null,
  run: number | null,
  previous: number | null,
  data: string | null,
]

/** Columns as the rest of the program knows them. Most events are submissions, which have nothing but their number. */
export function eventOf([id, at, type, operation, run, previous, data]: EventColumns): LedgerEvent {
  return type === 'submitted' && data === null && operation !== null
    ? { id, at, type, operation: toId(operation) }
    : toEvent({ id, at, type, operation, run, previous, data })
}

/** Replaces JSON that cannot be read: damaged on disk, or written by another program. */
export const UNREADABLE = '[unreadable]'

/** Parses stored JSON. Never throws, so that one damaged row does not make a list unreadable. */
export function storedJson(text: string): unknown {
  return readJson(text) ?? (text === 'null' ? null : UNREADABLE)
}

/** Parses stored JSON that a row can do without; undefined if it cannot be read. */
export function readJson<T>(text: string | null): T | undefined {
  if (text === null) return undefined
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}
