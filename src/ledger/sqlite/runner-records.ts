import { type RunnerRow, toRunner } from '../row/runner-row.ts'
import { RUNNER_AHEAD_MS, RUNNER_GONE_AFTER_MS, type RunnerRecord } from '../runner-record.ts'
import type { CapabilityCoverage } from './capability-coverage.ts'
import type { Statements } from './statements.ts'

/** Runners that say that they are there, and the stretches of time that they cover. */
export class RunnerRecords {
  readonly #statements: Statements
  readonly #coverage: CapabilityCoverage

  constructor(statements: Statements, coverage: CapabilityCoverage) {
    this.#statements = statements
    this.#coverage = coverage
  }

  alive(now: number): RunnerRecord[] {
    const rows = this.#statements
      .of('SELECT * FROM runners WHERE seen_at BETWEEN ? AND ? ORDER BY id')
      .all(now - RUNNER_GONE_AFTER_MS, now + RUNNER_AHEAD_MS) as unknown as RunnerRow[]
    return rows.map(toRunner)
  }

  seen({ id, capabilities, label }: Omit<RunnerRecord, 'startedAt' | 'seenAt'>, now: number): void {
    this.#statements
      .of(`INSERT INTO runners (id, capabilities, label, started_at, seen_at) VALUES (?1, ?2, ?3, ?4, ?4)
        ON CONFLICT (id) DO UPDATE SET capabilities = ?2, label = ?3, seen_at = ?4`)
      .run(id, JSON.stringify(capabilities), label ?? null, now)
    const long = 60 * RUNNER_GONE_AFTER_MS
    this.#statements.of('DELETE FROM runners WHERE seen_at NOT BETWEEN ? AND ?').run(now - long, now + long)
    this.#coverage.seen(capabilities, now)
  }

  left(runner: string, now: number): void {
    const [gone] = this.#statements
      .of('DELETE FROM runners WHERE id = ? RETURNING *')
      .all(runner) as unknown as RunnerRow[]
    if (!gone) return
    const served = new Set(this.alive(now).flatMap(({ capabilities }) => capabilities))
    const unserved = toRunner(gone).capabilities.filter(name => !served.has(name))
    this.#coverage.left(unserved, now)
  }
}
