import type { PastAttempt } from '../../capability/context.ts'
import type { Failure } from '../../failure/failure.ts'
import { type FailureJson, failureFromJson, failureToJson } from '../../failure/json.ts'
import { verdictToJson } from '../../verdict/json.ts'
import type { Verdict } from '../../verdict/verdict.ts'

/**
 * What is kept with a job between its tries, in the job's own data: each engine counts differently, and what it counts is
 * lost when a job is moved.
 */
export interface JobRecord {
  /** Starts of the job that were settled here; a start beyond them was lost with its worker. */
  starts: number
  /** Tries made, over all starts. */
  tries: number
  /** Tries begun by a `retry` verdict, and lost workers. */
  retries: number
  /** Snooze verdicts. */
  snoozes: number
  /** Milliseconds waited because of them. */
  snoozedMs: number
  /** Milliseconds waited for retries. */
  retryingMs: number
  /** US dollars that all tries cost, as far as known. */
  costUsd?: number
  /** Epoch milliseconds of the first failure. */
  firstFailedAt?: number
  /** What it waits for, and since when in epoch milliseconds; absent once it is over. */
  waiting?: { for: 'retry' | 'snooze'; since: number }
  /** Epoch milliseconds of the last try that may have taken effect; absent if none may have. */
  maybeDoneAt?: number
  /** The session that the next try continues. */
  resume?: string
  /** What went wrong last. */
  failure?: Failure
  /** What was decided about it, as JSON. */
  verdict?: Readonly<Record<string, unknown>>
  /** Epoch milliseconds at which the limit of its provider lifts, where one stopped it. */
  throttledUntil?: number
}

/** The name under which the record stands in the data of a job. */
export const RECORD_KEY = 'mulligan'

const FRESH: JobRecord = Object.freeze({
  starts: 0,
  tries: 0,
  retries: 0,
  snoozes: 0,
  snoozedMs: 0,
  retryingMs: 0,
})

/** The record in the data of a job; a fresh one if there is none. What does not fit in it counts as not there. */
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
    ...defined({
      costUsd: typeof json.cost_usd === 'number' ? json.cost_usd : undefined,
      firstFailedAt: epoch(json.first_failed_at),
      maybeDoneAt: epoch(json.maybe_done_at),
      throttledUntil: epoch(json.throttled_until),
      resume: typeof json.resume === 'string' ? json.resume : undefined,
      failure: isFailure(failure) ? failureFromJson(failure) : undefined,
      verdict: asObject(verdict),
    }),
    ...((reason === 'retry' || reason === 'snooze') && epoch(since) !== undefined
      ? { waiting: { for: reason, since: epoch(since) as number } }
      : {}),
  }
}

/** A record as it is stored: snake_case, points in time as RFC 3339 UTC. */
export function recordToJson(record: JobRecord): Record<string, unknown> {
  const { waiting, failure } = record
  return defined({
    starts: record.starts,
    tries: record.tries,
    retries: record.retries,
    snoozes: record.snoozes,
    snoozed_ms: record.snoozedMs,
    retrying_ms: record.retryingMs,
    cost_usd: record.costUsd,
    first_failed_at: time(record.firstFailedAt),
    waiting: waiting && { for: waiting.for, since: time(waiting.since) },
    maybe_done_at: time(record.maybeDoneAt),
    throttled_until: time(record.throttledUntil),
    resume: record.resume,
    // The whole text of a failure is for backtests, and would be copied with the job at every try.
    failure: failure && withoutText(failure),
    verdict: record.verdict,
  })
}

/** The data of a job with its record. */
export function withRecord(data: unknown, record: JobRecord): Record<string, unknown> {
  return { ...asObject(data), [RECORD_KEY]: recordToJson(record) }
}

/** The data as it was given, without what is kept beside it. */
export function withoutRecord(data: unknown): unknown {
  const fields = asObject(data)
  if (!fields || !(RECORD_KEY in fields)) return data
  const { [RECORD_KEY]: _record, ...given } = fields
  return given
}

/** The record as it stands when the job starts again: what it waited for is over. */
export function started(record: JobRecord, now: number): JobRecord {
  // Asked before the rest is copied: most jobs have waited for nothing.
  if (!record.waiting) return record
  const { waiting, ...rest } = record
  const waitedMs = Math.max(0, now - waiting.since)
  return waiting.for === 'snooze'
    ? { ...rest, snoozedMs: rest.snoozedMs + waitedMs }
    : { ...rest, retryingMs: rest.retryingMs + waitedMs }
}

/**
 * The record of a job that had ended and was started again by a person: its bounds begin anew, and what an earlier try may
 * have done is the person's business.
 */
export function afresh({ starts, tries, costUsd }: JobRecord): JobRecord {
  return { ...FRESH, starts, tries, ...(costUsd === undefined ? {} : { costUsd }) }
}

/**
 * The record of a job whose engine keeps nothing but a number of attempts: all that is known is how many there were, and that
 * any of them may have been cut off by a process that died.
 * @param attempt counted from 1
 */
export function recordOfAttempt(attempt: number): JobRecord {
  const earlier = Math.max(0, attempt - 1)
  const counted = { ...FRESH, starts: earlier, tries: earlier, retries: earlier, snoozes: earlier }
  return earlier === 0 ? counted : { ...counted, maybeDoneAt: 0 }
}

/** True for the record of a job that had ended. */
export function hasEnded({ verdict }: JobRecord): boolean {
  return verdict?.action === 'cancel' || verdict?.action === 'park'
}

/** The last try as work, verification and hooks see it; older ones are not kept. */
export function lastAttempt(record: JobRecord): readonly PastAttempt[] {
  const { tries, failure, maybeDoneAt, waiting } = record
  if (!failure || tries === 0) return []
  const at = maybeDoneAt ?? waiting?.since ?? record.firstFailedAt ?? 0
  return [{ number: tries, run: record.starts, startedAt: at, endedAt: at, failure }]
}

/** A verdict as it is kept with a job. */
export function keptVerdict(verdict: Verdict): Readonly<Record<string, unknown>> {
  return verdictToJson(verdict)
}

function withoutText({ text: _text, ...failure }: Failure): FailureJson {
  return failureToJson(failure)
}

function isFailure(value: unknown): value is FailureJson {
  const { class: cls, kind, effect, message, fingerprint } = asObject(value) ?? {}
  return [cls, kind, effect, message, fingerprint].every(field => typeof field === 'string')
}

/** Undefined for what is no plain object. */
export function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

/** Data of a job is edited by hand, too: what is no count is none. */
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

function defined<T extends Record<string, unknown>>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
