import { type RunnerRow, toRunner } from '../row/runner-row.ts'
import { RUNNER_AHEAD_MS, RUNNER_GONE_AFTER_MS, type RunnerRecord } from '../runner-record.ts'
import { CapabilityCoverage } from './coverage.ts'
import type { Sql } from './sql.ts'

const ALIVE = 'SELECT * FROM runners WHERE seen_at BETWEEN $1 AND $2 ORDER BY id'

/** Active runners, and the stretches of time that they cover. */
export class RunnerRecords {
  readonly #sql: Sql
  readonly #coverage: CapabilityCoverage

  constructor(sql: Sql) {
    this.#sql = sql
    this.#coverage = new CapabilityCoverage(sql)
  }

  async alive(now: number): Promise<RunnerRecord[]> {
    const rows = await this.#sql.rows<RunnerRow>(ALIVE, [now - RUNNER_GONE_AFTER_MS, now + RUNNER_AHEAD_MS])
    return rows.map(toRunner)
  }

  async seen(
    { id, capabilities, label }: Omit<RunnerRecord, 'startedAt' | 'seenAt'>,
    now: number,
  ): Promise<void> {
    await this.#sql.run(
      `INSERT INTO runners (id, capabilities, label, started_at, seen_at) VALUES ($1, $2, $3, $4, $4)
       ON CONFLICT (id) DO UPDATE SET capabilities = $2, label = $3, seen_at = $4`,
      [id, JSON.stringify(capabilities), label ?? null, now],
    )
    const long = 60 * RUNNER_GONE_AFTER_MS
    await this.#sql.run('DELETE FROM runners WHERE seen_at NOT BETWEEN $1 AND $2', [now - long, now + long])
    await this.#oneAtATime()
    await this.#coverage.seen(capabilities, now)
    await this.#sql.run("SELECT nextval('changes')")
  }

  async left(runner: string, now: number): Promise<void> {
    await this.#oneAtATime()
    const gone = await this.#sql.row<RunnerRow>('DELETE FROM runners WHERE id = $1 RETURNING *', [runner])
    if (!gone) return
    const served = new Set((await this.alive(now)).flatMap(({ capabilities }) => capabilities))
    const unserved = toRunner(gone).capabilities.filter(name => !served.has(name))
    await this.#coverage.left(unserved, now)
    await this.#sql.run("SELECT nextval('changes')")
  }

  /** Runners register and leave one at a time, because they share the stretches of time that they cover. */
  async #oneAtATime(): Promise<void> {
    await this.#sql.run('LOCK TABLE attendance IN SHARE ROW EXCLUSIVE MODE')
  }
}
