import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { RUNNER_GONE_AFTER_MS } from '../runner-record.ts'

/** Stretches that ended longer ago than this are deleted, in milliseconds: 90 days. No retry waits that long. */
const KEPT_MS = 90 * 86_400_000

/** SQL for how many milliseconds between two points in time a runner had a capability. */
export const COVERED_MS = (capability: string, from: string, until: string): string =>
  `(SELECT coalesce(sum(max(0, CASE WHEN is_open = 1 AND until_at >= ${until} - ${RUNNER_GONE_AFTER_MS} THEN ${until}
    ELSE min(until_at, ${until}) END - max(from_at, ${from}))), 0) FROM attendance WHERE capability = ${capability})`

/**
 * When a runner had a capability, as stretches of wall time. Runners announce themselves every 20 s; one that was
 * silent for a minute was gone, for whatever reason: a crash, a machine that slept, a clock set forward. If the clock
 * is set back, stretches are cut at the new time.
 */
export class CapabilityCoverage {
  readonly #inFuture: StatementSync
  readonly #untilNow: StatementSync
  readonly #extend: StatementSync
  readonly #open: StatementSync
  readonly #close: StatementSync
  readonly #forget: StatementSync
  readonly #covered: StatementSync

  constructor(db: DatabaseSync) {
    const named = 'capability IN (SELECT value FROM json_each(?1))'
    const open = `is_open = 1 AND until_at >= ?2 - ${RUNNER_GONE_AFTER_MS}`
    this.#inFuture = db.prepare(`DELETE FROM attendance WHERE ${named} AND from_at > ?2`)
    this.#untilNow = db.prepare(`UPDATE attendance SET until_at = ?2 WHERE ${named} AND until_at > ?2`)
    this.#extend = db.prepare(`UPDATE attendance SET until_at = ?2 WHERE ${named} AND ${open}`)
    this.#open = db.prepare(`INSERT OR REPLACE INTO attendance (capability, from_at, until_at, is_open)
      SELECT value, ?2, ?2, 1 FROM json_each(?1) WHERE NOT EXISTS
      (SELECT 1 FROM attendance WHERE capability = value AND ${open})`)
    this.#close = db.prepare(`UPDATE attendance SET until_at = ?2, is_open = 0 WHERE ${named} AND ${open}`)
    this.#forget = db.prepare(`DELETE FROM attendance WHERE until_at < ? - ${KEPT_MS}`)
    this.#covered = db.prepare(`SELECT ${COVERED_MS('?1', '?2', '?3')} AS ms`)
  }

  /** Records that a runner with these capabilities is there. */
  seen(capabilities: readonly string[], now: number): void {
    const names = JSON.stringify(capabilities)
    this.#inFuture.run(names, now)
    this.#untilNow.run(names, now)
    this.#extend.run(names, now)
    this.#open.run(names, now)
    this.#forget.run(now)
  }

  /** Records that the last runner with these capabilities has gone. */
  left(capabilities: readonly string[], now: number): void {
    this.#close.run(JSON.stringify(capabilities), now)
  }

  /** For how many milliseconds between these points in time a runner had the capability. */
  coveredMs(capability: string, from: number, until: number): number {
    if (until <= from) return 0
    return (this.#covered.get(capability, from, until) as { ms: number }).ms
  }
}
