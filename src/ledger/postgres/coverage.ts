import { RUNNER_GONE_AFTER_MS } from '../runner-record.ts'
import type { Sql } from './sql.ts'

/** Stretches that ended longer ago than this are deleted, in milliseconds: 90 days. No retry waits that long. */
const KEPT_MS = 90 * 86_400_000

/** SQL for how many milliseconds between two times there was a runner with a capability. */
export const COVERED_MS = (capability: string, from: string, until: string): string =>
  `(SELECT coalesce(sum(greatest(0, CASE WHEN is_open = 1 AND until_at >= ${until} - ${RUNNER_GONE_AFTER_MS} THEN ${until}
    ELSE least(until_at, ${until}) END - greatest(from_at, ${from}))), 0)::bigint FROM attendance a
    WHERE a.capability = ${capability})`

const OPEN = `is_open = 1 AND until_at >= $2::bigint - ${RUNNER_GONE_AFTER_MS}`

/**
 * When there was a runner with a capability, as stretches of wall time. Runners report every 20 s; one that was silent for
 * a minute counts as gone, whatever the reason: a crash, a machine that slept, a clock that was set forward. If the clock is
 * set back, stretches that are now in the future are cut off or removed.
 */
export class CapabilityCoverage {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Records that a runner with these capabilities is running. */
  async seen(capabilities: readonly string[], now: number): Promise<void> {
    const given = [capabilities, now]
    const named = 'capability = ANY($1::text[])'
    await this.#sql.run(`DELETE FROM attendance WHERE ${named} AND from_at > $2`, given)
    await this.#sql.run(
      `UPDATE attendance SET until_at = $2 WHERE ${named} AND (until_at > $2 OR (${OPEN}))`,
      given,
    )
    await this.#sql.run(
      `INSERT INTO attendance (capability, from_at, until_at, is_open)
       SELECT DISTINCT name, $2::bigint, $2::bigint, 1 FROM unnest($1::text[]) AS name WHERE NOT EXISTS
       (SELECT 1 FROM attendance WHERE capability = name AND ${OPEN})
       ON CONFLICT (capability, from_at) DO UPDATE SET until_at = $2, is_open = 1`,
      given,
    )
    await this.#sql.run('DELETE FROM attendance WHERE until_at < $1', [now - KEPT_MS])
  }

  /** Records that the last runner with these capabilities is gone. */
  async left(capabilities: readonly string[], now: number): Promise<void> {
    await this.#sql.run(
      `UPDATE attendance SET until_at = $2, is_open = 0 WHERE capability = ANY($1::text[]) AND ${OPEN}`,
      [capabilities, now],
    )
  }
}
