import type { Failure } from '../../failure/failure.ts'
import { type Attempt, MOST_ATTEMPTS, type NewAttempt } from '../attempt.ts'
import type { RejudgeOrigin } from '../rejudgement.ts'
import { type FailedRow, noteOf, searchable } from '../row/failed-attempt.ts'
import { type AttemptRow, attemptRowId, numberOf, toAttempt } from '../row/rows.ts'
import type { EndingVerdict } from '../settlement.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { type Asking, row, rows } from './asking.ts'

/** All tries of an operation, oldest first. */
export function* attemptsOf(id: string): Asking<Attempt[]> {
  const number = numberOf(id) ?? 0
  const found = yield* rows<AttemptRow>(
    'SELECT * FROM attempts WHERE id BETWEEN $1 AND $2 ORDER BY id',
    attemptRowId(number, 0),
    attemptRowId(number, MOST_ATTEMPTS),
  )
  return found.map(toAttempt)
}

/** Writes an attempt without secrets, and its failure as the operation's last. Returns the failure as stored. */
export function* writeAttempt(
  operation: number,
  number: number,
  run: number,
  attempt: NewAttempt,
): Asking<Failure | undefined> {
  const id = attemptRowId(operation, number)
  const failure = attempt.failure === undefined ? undefined : withoutSecrets(attempt.failure)
  yield* row(
    `INSERT INTO attempts (id, run, started_at, ended_at, provider, model, failure, verdict, cost_usd, turns, session_id,
      note, usage) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    id,
    run,
    attempt.startedAt,
    attempt.endedAt,
    attempt.provider ?? null,
    attempt.model ?? null,
    failure === undefined ? null : JSON.stringify(failure),
    attempt.verdict === undefined ? null : JSON.stringify(withoutSecrets(attempt.verdict)),
    attempt.costUsd ?? null,
    attempt.turns ?? null,
    attempt.sessionId ?? null,
    attempt.note === undefined ? null : JSON.stringify(withoutSecrets(attempt.note)),
    attempt.usage === undefined ? null : JSON.stringify(attempt.usage),
  )
  if (failure) yield* wasFailure(id, operation, failure, attempt.endedAt)
  return failure
}

/**
 * Replaces the last failure of an operation, in its attempt and in the operation, after it was classified again. The note
 * keeps the old classification. Returns the failure as stored.
 */
export function* reclassify(
  operation: number,
  attempts: number,
  { failure: given, verdict, by }: { failure: Failure; verdict: EndingVerdict; by: RejudgeOrigin },
): Asking<Failure> {
  const failure = withoutSecrets(given)
  const failed = yield* row<FailedRow>(
    `SELECT id, failure, verdict, note, ended_at FROM attempts WHERE id BETWEEN $1 AND $2 AND failure IS NOT NULL
     ORDER BY id DESC LIMIT 1`,
    attemptRowId(operation, 1),
    attemptRowId(operation, attempts),
  )
  if (!failed) return failure
  yield* row(
    'UPDATE attempts SET failure = $2, verdict = $3, note = $4 WHERE id = $1',
    failed.id,
    JSON.stringify(failure),
    JSON.stringify(verdict),
    JSON.stringify(noteOf(failed, by)),
  )
  yield* row('DELETE FROM failure_texts WHERE attempt = $1', failed.id)
  yield* wasFailure(failed.id, operation, failure, failed.ended_at)
  return failure
}

/** The total cost of a run's tries, in US dollars; undefined if none stated a cost. */
export function* spentIn(operation: number, attempts: number, run: number): Asking<number | undefined> {
  const sum = yield* row<{ usd: number | null }>(
    'SELECT sum(cost_usd) AS usd FROM attempts WHERE id BETWEEN $1 AND $2 AND run = $3',
    attemptRowId(operation, 1),
    attemptRowId(operation, attempts),
    run,
  )
  return sum?.usd ?? undefined
}

function* wasFailure(attempt: number, operation: number, failure: Failure, at: number): Asking<void> {
  const { class: cls, kind, fingerprint, message } = failure
  yield { search: searchable(failure), attempt }
  yield* row(
    `UPDATE operations SET class = $2, kind = $3, fingerprint = $4, message = $5,
      first_failed_at = coalesce(first_failed_at, $6) WHERE id = $1`,
    operation,
    cls,
    kind,
    fingerprint,
    message,
    at,
  )
}
