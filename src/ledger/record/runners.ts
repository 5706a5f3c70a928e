import { filled } from '../row/filled.ts'
import { RUNNER_AHEAD_MS, RUNNER_GONE_AFTER_MS, type RunnerRecord } from '../runner-record.ts'
import { type Asking, row, rows } from './asking.ts'

/** A row of the runners table. */
interface RunnerRow {
  id: string
  capabilities: string
  label: string | null
  started_at: number
  seen_at: number
}

/** Stretches that ended longer ago than this are deleted, in milliseconds: 90 days. No retry waits that long. */
const KEPT_MS = 90 * 86_400_000

/** Runners share the stretches of time that they cover, so they come and go one at a time. */
const ALONE = { alone: ':attendance' } as const

/** A stretch that a runner still covers; $2 is now. */
const OPEN = `is_open = 1 AND until_at >= $2::bigint - ${RUNNER_GONE_AFTER_MS}`

/** SQL for how many milliseconds between two times there was a runner with a capability. */
export const COVERED_MS = (capability: string, from: string, until: string): string =>
  `(SELECT coalesce(sum(greatest(0, CASE WHEN is_open = 1 AND until_at >= ${until} - ${RUNNER_GONE_AFTER_MS} THEN ${until}
    ELSE least(until_at, ${until}) END - greatest(from_at, ${from}))), 0)::bigint FROM attendance a
    WHERE a.capability = ${capability})`

/** Runners that said within the last minute that they are there. */
export function* runnersAlive(now: number): Asking<RunnerRecord[]> {
  const found = yield* rows<RunnerRow>(
    'SELECT * FROM runners WHERE seen_at BETWEEN $1 AND $2 ORDER BY id',
    now - RUNNER_GONE_AFTER_MS,
    now + RUNNER_AHEAD_MS,
  )
  return found.map(toRunner)
}

/** Capabilities that a runner had at this time or later. */
export function* attendedSince(at: number): Asking<string[]> {
  const found = yield* rows<{ capability: string }>(
    'SELECT DISTINCT capability FROM attendance WHERE until_at >= $1',
    at,
  )
  return found.map(({ capability }) => capability)
}

/**
 * Records that a runner is there, and when there was one with its capabilities, as stretches of wall time. Runners report
 * every 20 s; one that was silent for a minute was gone, for whatever reason: a crash, a machine that slept, a clock set
 * forward. If the clock is set back, stretches are cut at the new time.
 */
export function* runnerSeen(
  { id, capabilities, label }: Omit<RunnerRecord, 'startedAt' | 'seenAt'>,
  now: number,
): Asking<void> {
  yield* row(
    `INSERT INTO runners (id, capabilities, label, started_at, seen_at) VALUES ($1, $2, $3, $4, $4)
     ON CONFLICT (id) DO UPDATE SET capabilities = $2, label = $3, seen_at = $4`,
    id,
    JSON.stringify(capabilities),
    label ?? null,
    now,
  )
  const long = 60 * RUNNER_GONE_AFTER_MS
  yield* row('DELETE FROM runners WHERE seen_at NOT BETWEEN $1 AND $2', now - long, now + long)
  yield ALONE
  const named = 'capability = ANY($1::text[])'
  yield* row(`DELETE FROM attendance WHERE ${named} AND from_at > $2`, capabilities, now)
  yield* row(
    `UPDATE attendance SET until_at = $2 WHERE ${named} AND (until_at > $2 OR (${OPEN}))`,
    capabilities,
    now,
  )
  yield* row(
    `INSERT INTO attendance (capability, from_at, until_at, is_open) SELECT name, $2::bigint, $2::bigint, 1
     FROM (SELECT DISTINCT unnest($1::text[]) AS name) AS given
     WHERE NOT EXISTS (SELECT 1 FROM attendance WHERE capability = name AND ${OPEN})
     ON CONFLICT (capability, from_at) DO UPDATE SET until_at = $2, is_open = 1`,
    capabilities,
    now,
  )
  yield* row('DELETE FROM attendance WHERE until_at < $1', now - KEPT_MS)
  yield { known: true }
}

/** Records that a runner is gone, and closes the stretches of what nobody else can do. */
export function* runnerLeft(runner: string, now: number): Asking<void> {
  yield ALONE
  const gone = yield* row<RunnerRow>('DELETE FROM runners WHERE id = $1 RETURNING *', runner)
  if (!gone) return
  const served = new Set((yield* runnersAlive(now)).flatMap(({ capabilities }) => capabilities))
  const unserved = toRunner(gone).capabilities.filter(name => !served.has(name))
  yield* row(
    `UPDATE attendance SET until_at = $2, is_open = 0 WHERE capability = ANY($1::text[]) AND ${OPEN}`,
    unserved,
    now,
  )
  yield { known: true }
}

/** Converts a row to a runner. */
function toRunner({ id, capabilities, label, started_at, seen_at }: RunnerRow): RunnerRecord {
  return {
    id,
    capabilities: JSON.parse(capabilities) as string[],
    ...filled({ label }),
    startedAt: started_at,
    seenAt: seen_at,
  }
}
