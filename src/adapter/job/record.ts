import type { PastAttempt } from '../../capability/context.ts'
import type { Failure } from '../../failure/failure.ts'
import { type FailureJson, failureFromJson, failureToJson } from '../../failure/json.ts'
import { present } from '../../failure/present.ts'
import type { RetryPolicy } from '../../verdict/retry-policy.ts'

/**
 * The state of a job between its tries, kept in the job's own data, because each engine counts differently and loses its
 * counts when a job is moved.
 */
export interface JobRecord {
  /** Settled starts of the job. A start beyond them was lost with its worker. */
  starts: number
  /** Starts before its engine forgot it and it was added again, where the engine counts from 1 again. Absent: none. */
  startsBefore?: number
  /** Tries over all starts. */
  tries: number
  /** Retry verdicts and lost workers. */
  retries: number
  /** Snooze verdicts. */
  snoozes: number
  /** Milliseconds waited for snoozes. */
  snoozedMs: number
  /** Milliseconds waited for retries. */
  retryingMs: number
  /** Known cost of all tries, in US dollars. */
  costUsd?: number
  /** When it first failed, epoch milliseconds. */
  firstFailedAt?: number
  /** When it succeeded after failures, epoch milliseconds; absent for a job that never failed. */
  succeededAt?: number
  /** What it waits for, and since when, epoch milliseconds; absent while it does not wait. */
  waiting?: { for: 'retry' | 'snooze'; since: number }
  /** When a try last may have taken effect, epoch milliseconds; absent if none may have. */
  maybeDoneAt?: number
  /** Id of the session that the next try resumes. */
  resume?: string
  /** The last failure. */
  failure?: Failure
  /** The last verdict, as JSON. */
  verdict?: Readonly<Record<string, unknown>>
  /** When its provider's limit lifts, epoch milliseconds; absent if none stopped it. */
  throttledUntil?: number
  /** Its operation in the ledger, if its worker is connected to one. */
  operation?: string
  /**
   * What the ledger knows it by, if that could not answer when it failed: an engine that replaces a job makes another of it.
   */
  key?: string
}

/** The key of the record in a job's data. */
export const RECORD_KEY = 'mulligan'

const FRESH: JobRecord = Object.freeze({
  starts: 0,
  tries: 0,
  retries: 0,
  snoozes: 0,
  snoozedMs: 0,
  retryingMs: 0,
})

/** The record in a job's data; a fresh one if missing. Ignores invalid fields. */
export function readRecord(data: unknown): JobRecord {
  const json = asObject(asObject(data)?.[RECORD_KEY])
  if (!json) return FRESH
  const { waiting, failure, verdict } = json
  const { for: reason, since } = asObject(waiting) ?? {}
  return {
    starts: count(json.starts),
    tries: count(json.tries),
    retries: count(json.retries),
    snoozes: count(json.snoozes),
    snoozedMs: count(json.snoozed_ms),
    retryingMs: count(json.retrying_ms),
    ...present({
      startsBefore: json.starts_before === undefined ? undefined : count(json.starts_before),
      costUsd: typeof json.cost_usd === 'number' ? json.cost_usd : undefined,
      firstFailedAt: epoch(json.first_failed_at),
      succeededAt: epoch(json.succeeded_at),
      maybeDoneAt: epoch(json.maybe_done_at),
      throttledUntil: epoch(json.throttled_until),
      resume: typeof json.resume === 'string' ? json.resume : undefined,
      operation: typeof json.operation === 'string' ? json.operation : undefined,
      key: typeof json.key === 'string' ? json.key : undefined,
      failure: isFailure(failure) ? failureFromJson(failure) : undefined,
      verdict: asObject(verdict),
    }),
    ...((reason === 'retry' || reason === 'snooze') && epoch(since) !== undefined
      ? { waiting: { for: reason, since: epoch(since) as number } }
      : {}),
  }
}

/** A record as stored: snake_case, times as RFC 3339 UTC. */
export function recordToJson(record: JobRecord): Record<string, unknown> {
  const { waiting, failure } = record
  return present({
    starts: record.starts,
    starts_before: record.startsBefore,
    tries: record.tries,
    retries: record.retries,
    snoozes: record.snoozes,
    snoozed_ms: record.snoozedMs,
    retrying_ms: record.retryingMs,
    cost_usd: record.costUsd,
    first_failed_at: time(record.firstFailedAt),
    succeeded_at: time(record.succeededAt),
    waiting: waiting && { for: waiting.for, since: time(waiting.since) },
    maybe_done_at: time(record.maybeDoneAt),
    throttled_until: time(record.throttledUntil),
    resume: record.resume,
    operation: record.operation,
    key: record.key,
    // The full text of a failure is only for backtests, and would be copied with the job at every try.
    failure: failure && withoutText(failure),
    verdict: record.verdict,
  })
}

/** The data of a job with its record. */
export function withRecord(data: unknown, record: JobRecord): Record<string, unknown> {
  return { ...asObject(data), [RECORD_KEY]: recordToJson(record) }
}

/** The submitted data, without the record. */
export function withoutRecord(data: unknown): unknown {
  const fields = asObject(data)
  if (!fields || !(RECORD_KEY in fields)) return data
  const { [RECORD_KEY]: _record, ...given } = fields
  return given
}

/** The number of a start over all lives of a job, from the number that its engine counts for this one. */
export function startNumber(data: unknown, counted: number): number {
  return counted + count(asObject(asObject(data)?.[RECORD_KEY])?.starts_before)
}

/** The record when the job starts again: adds the wait to the counters. */
export function afterWait(record: JobRecord, now: number): JobRecord {
  // Checked before copying, because most jobs have not waited.
  if (!record.waiting) return record
  const { waiting, ...rest } = record
  const waitedMs = Math.max(0, now - waiting.since)
  return waiting.for === 'snooze'
    ? { ...rest, snoozedMs: rest.snoozedMs + waitedMs }
    : { ...rest, retryingMs: rest.retryingMs + waitedMs }
}

/**
 * The record of an ended job that a person retries: its counters start over. Whether earlier tries took effect is verified
 * where that can be; else the person takes responsibility for it.
 */
export function recordForRetryByHand(
  { starts, startsBefore, tries, costUsd, operation, key, maybeDoneAt, failure }: JobRecord,
  retry: RetryPolicy,
): JobRecord {
  const known = retry === 'verify_first' && maybeDoneAt !== undefined ? { maybeDoneAt, failure } : {}
  return { ...FRESH, starts, tries, ...present({ startsBefore, costUsd, operation, key, ...known }) }
}

/**
 * The record of a job whose engine keeps only a number of attempts. Any earlier attempt may have ended with a dead
 * process, so it may have taken effect.
 * @param attempt from 1
 */
export function recordOfAttempt(attempt: number): JobRecord {
  const earlier = Math.max(0, attempt - 1)
  const counted = { ...FRESH, starts: earlier, tries: earlier, retries: earlier, snoozes: earlier }
  return earlier === 0 ? counted : { ...counted, maybeDoneAt: 0 }
}

/** Whether the job has ended. One that is parked in the ledger has not. */
export function hasEnded({ verdict, operation }: JobRecord): boolean {
  return verdict?.action === 'cancel' || (verdict?.action === 'park' && operation === undefined)
}

/** The last try, for work, verification and hooks; older tries are not kept. */
export function lastAttempt(record: JobRecord): readonly PastAttempt[] {
  const { tries, failure, maybeDoneAt, waiting } = record
  if (!failure || tries === 0) return []
  const at = maybeDoneAt ?? waiting?.since ?? record.firstFailedAt ?? 0
  return [{ number: tries, run: record.starts, startedAt: at, endedAt: at, failure }]
}

function withoutText({ text: _text, ...failure }: Failure): FailureJson {
  return failureToJson(failure)
}

function isFailure(value: unknown): value is FailureJson {
  const { class: cls, kind, effect, message, fingerprint } = asObject(value) ?? {}
  return [cls, kind, effect, message, fingerprint].every(field => typeof field === 'string')
}

/** The value if it is an object, else undefined. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

/** People edit job data by hand, so anything that is not a positive number counts as 0. */
function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

function epoch(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

function time(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString()
}
