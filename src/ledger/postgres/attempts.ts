import type { Failure } from '../../failure/failure.ts'
import type { NewAttempt } from '../attempt.ts'
import type { RejudgeOrigin } from '../rejudgement.ts'
import { type FailedRow, noteOf, searchable } from '../row/failed-attempt.ts'
import { attemptRowId } from '../row/rows.ts'
import type { EndingVerdict } from '../settlement.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { Sql } from './sql.ts'
import { lexemes } from './words.ts'

/** Writes attempts, without secrets. */
export class Attempts {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Writes an attempt, and its failure as the operation's last. Returns the failure as stored. */
  async write(
    operation: number,
    number: number,
    run: number,
    attempt: NewAttempt,
  ): Promise<Failure | undefined> {
    const id = attemptRowId(operation, number)
    const failure = attempt.failure === undefined ? undefined : withoutSecrets(attempt.failure)
    await this.#sql.run(
      `INSERT INTO attempts (id, run, started_at, ended_at, provider, model, failure, verdict, cost_usd, turns, session_id,
        note) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [id, run, ...attemptValues(attempt, failure)],
    )
    if (failure) await this.#wasFailure(id, operation, failure, attempt.endedAt)
    return failure
  }

  /**
   * Replaces the last failure of an operation, in its attempt and in the operation, after it was classified again. The note
   * records the old classification. Returns the failure as stored.
   */
  async reclassify(
    operation: number,
    attempts: number,
    { failure: given, verdict, by }: { failure: Failure; verdict: EndingVerdict; by: RejudgeOrigin },
  ): Promise<Failure> {
    const failure = withoutSecrets(given)
    const row = await this.#sql.row<FailedRow>(
      `SELECT id, failure, verdict, note, ended_at FROM attempts WHERE id BETWEEN $1 AND $2 AND failure IS NOT NULL
       ORDER BY id DESC LIMIT 1`,
      [attemptRowId(operation, 1), attemptRowId(operation, attempts)],
    )
    if (!row) return failure
    await this.#sql.run('UPDATE attempts SET failure = $2, verdict = $3, note = $4 WHERE id = $1', [
      row.id,
      JSON.stringify(failure),
      JSON.stringify(verdict),
      JSON.stringify(noteOf(row, by)),
    ])
    await this.#wasFailure(row.id, operation, failure, row.ended_at)
    return failure
  }

  /** Total cost of the tries of a run, in US dollars; undefined if none stated a cost. */
  async spent(operation: number, attempts: number, run: number): Promise<number | undefined> {
    const row = await this.#sql.row<{ usd: number | null }>(
      'SELECT sum(cost_usd) AS usd FROM attempts WHERE id BETWEEN $1 AND $2 AND run = $3',
      [attemptRowId(operation, 1), attemptRowId(operation, attempts), run],
    )
    return row?.usd ?? undefined
  }

  async #wasFailure(id: number, operation: number, failure: Failure, at: number): Promise<void> {
    const { class: cls, kind, fingerprint, message } = failure
    await this.#sql.run(
      `INSERT INTO failure_texts (attempt, words) VALUES ($1, array_to_tsvector($2::text[]))
       ON CONFLICT (attempt) DO UPDATE SET words = excluded.words`,
      [id, lexemes(searchable(failure))],
    )
    await this.#sql.run(
      `UPDATE operations SET class = $2, kind = $3, fingerprint = $4, message = $5,
        first_failed_at = coalesce(first_failed_at, $6) WHERE id = $1`,
      [operation, cls, kind, fingerprint, message, at],
    )
  }
}

/** Times, provider, model, failure, verdict, cost, turns, session and note, as stored. */
export function attemptValues(attempt: NewAttempt, failure: Failure | undefined): unknown[] {
  return [
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
  ]
}
