import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Failure } from '../../failure/failure.ts'
import type { NewAttempt } from '../attempt.ts'
import type { RejudgeOrigin } from '../rejudgement.ts'
import { type FailedRow, noteOf, searchable } from '../row/failed-attempt.ts'
import { attemptRowId } from '../row/rows.ts'
import type { EndingVerdict } from '../settlement.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { Statements } from './statements.ts'

/** Writes attempts, without secrets. */
export class Attempts {
  readonly #insert: StatementSync
  readonly #insertBare: StatementSync
  readonly #text: StatementSync
  readonly #failed: StatementSync
  readonly #spent: StatementSync

  readonly #statements: Statements

  constructor(db: DatabaseSync, statements: Statements) {
    this.#statements = statements
    this.#insert =
      db.prepare(`INSERT INTO attempts (id, run, started_at, ended_at, provider, model, failure, verdict,
      cost_usd, turns, session_id, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    this.#insertBare = db.prepare('INSERT INTO attempts (id, run, started_at, ended_at) VALUES (?, ?, ?, ?)')
    this.#spent = db.prepare('SELECT sum(cost_usd) AS usd FROM attempts WHERE id BETWEEN ? AND ? AND run = ?')
    this.#text = db.prepare('INSERT INTO failure_texts (rowid, text) VALUES (?, ?)')
    this.#failed = db.prepare(`UPDATE operations SET class = ?, kind = ?, fingerprint = ?, message = ?,
      first_failed_at = coalesce(first_failed_at, ?) WHERE id = ?`)
  }

  /** Writes an attempt, and its failure as the operation's last. Returns the failure as stored. */
  write(operation: number, number: number, run: number, attempt: NewAttempt): Failure | undefined {
    const id = attemptRowId(operation, number)
    if (saysNothing(attempt)) {
      this.#insertBare.run(id, run, attempt.startedAt, attempt.endedAt)
      return undefined
    }
    const failure = attempt.failure === undefined ? undefined : withoutSecrets(attempt.failure)
    this.#insert.run(
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
    )
    if (failure) this.#wasFailure(id, operation, failure, attempt.endedAt)
    return failure
  }

  /**
   * Replaces the classification of an operation's last failure, in its attempt and in the operation. The note keeps the
   * old classification. Returns the failure as stored.
   */
  reclassify(
    operation: number,
    attempts: number,
    { failure: given, verdict, by }: { failure: Failure; verdict: EndingVerdict; by: RejudgeOrigin },
  ): Failure {
    const failure = withoutSecrets(given)
    const range = [attemptRowId(operation, 1), attemptRowId(operation, attempts)] as const
    const row = this.#statements
      .of(`SELECT id, failure, verdict, note, ended_at FROM attempts WHERE id BETWEEN ? AND ? AND failure IS NOT NULL
        ORDER BY id DESC LIMIT 1`)
      .get(...range) as unknown as FailedRow | undefined
    if (!row) return failure
    this.#statements
      .of('UPDATE attempts SET failure = ?, verdict = ?, note = ? WHERE id = ?')
      .run(JSON.stringify(failure), JSON.stringify(verdict), JSON.stringify(noteOf(row, by)), row.id)
    this.#statements.of('DELETE FROM failure_texts WHERE rowid = ?').run(row.id)
    this.#wasFailure(row.id, operation, failure, row.ended_at)
    return failure
  }

  /** The total cost of a run's tries, in US dollars; undefined if none reported a cost. */
  spent(operation: number, attempts: number, run: number): number | undefined {
    const range = [attemptRowId(operation, 1), attemptRowId(operation, attempts)] as const
    const { usd } = this.#spent.get(...range, run) as { usd: number | null }
    return usd ?? undefined
  }

  #wasFailure(id: number, operation: number, failure: Failure, at: number): void {
    const { class: cls, kind, fingerprint, message } = failure
    this.#text.run(id, searchable(failure))
    this.#failed.run(cls, kind, fingerprint, message, at, operation)
  }
}

/** True for an attempt that has only times, like most that succeed. */
function saysNothing(attempt: NewAttempt): boolean {
  for (const name in attempt)
    if (name !== 'startedAt' && name !== 'endedAt' && attempt[name as keyof NewAttempt] !== undefined)
      return false
  return true
}
