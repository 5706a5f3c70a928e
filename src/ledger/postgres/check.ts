import { PROMISES } from '../sqlite/check.ts'
import { PROMISES_BESIDE_OPERATIONS } from '../sqlite/promises-beside-operations.ts'
import { PROMISES_OF_WORKFLOWS } from '../sqlite/promises-of-workflows.ts'
import { MOST_MODELS, MOST_SAMPLES } from '../unknown.ts'
import type { Finding } from '../upkeep.ts'
import type { Sql } from './sql.ts'

/** Most findings reported per promise; the first ones are enough. */
const TOLD = 20

const HIGHEST = `greatest((SELECT coalesce(max(id), 0) FROM operations), (SELECT coalesce(max(id), 0) FROM events))`

/** Promises that need another query here, because the data is stored differently; undefined if the promise does not apply. */
const OTHERWISE: Readonly<Record<string, string | undefined>> = {
  running_is_leased: `SELECT id, run AS more FROM operations WHERE state = 'running' AND lease_until IS NULL`,
  leased_is_running: `SELECT id, run AS more FROM operations WHERE state <> 'running' AND (lease_until IS NOT NULL OR
    runner IS NOT NULL)`,
  events_are_in_one_chain: `SELECT (steps - lengths)::bigint AS id, NULL AS more FROM
    (SELECT coalesce(sum(e.id - e.previous), 0) AS steps FROM events e JOIN operations o ON o.id = e.operation) s,
    (SELECT coalesce(sum(last_event - id), 0) AS lengths FROM operations) l WHERE steps <> lengths`,
  operation_has_provider: `SELECT o.id, p.value AS more FROM operations o, json_array_elements_text(
    CASE WHEN o.provider LIKE '[%' THEN o.provider ELSE json_build_array(o.provider)::text END::json) AS p(value)
    WHERE o.provider <> '' AND NOT EXISTS
    (SELECT 1 FROM operation_providers l WHERE l.provider = p.value AND l.operation = o.id)`,
  failure_has_text: `SELECT a.id, NULL AS more FROM attempts a WHERE a.failure IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM failure_texts t WHERE t.attempt = a.id)`,
  // Hosts write at the same time, so creation times of different hosts need not rise; nothing depends on it.
  times_rise_between_jumps: undefined,
  cursor_within_events: `SELECT c.event AS id, c.consumer AS more FROM cursors c WHERE c.event > ${HIGHEST}`,
  unknown_was_seen: `SELECT id, fingerprint AS more FROM unknowns WHERE parked + failover + ended < 1
    OR least(parked, failover, ended) < 0 OR first_seen_at > last_seen_at`,
  unknown_is_bounded: `SELECT id, fingerprint AS more FROM unknowns WHERE json_array_length(models::json) > ${MOST_MODELS}
    OR json_array_length(samples::json) NOT BETWEEN 1 AND ${MOST_SAMPLES}`,
  notice_within_events: `SELECT id, event AS more FROM notices WHERE event > ${HIGHEST} OR operation > ${HIGHEST}`,
}

/** Checks every promise against the rows. Reads everything, so run it at quiet times. */
export async function checkLedger(sql: Sql): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { rule, sql: text, says } of [
    ...PROMISES,
    ...PROMISES_BESIDE_OPERATIONS,
    ...PROMISES_OF_WORKFLOWS,
  ]) {
    const asked = rule in OTHERWISE ? OTHERWISE[rule] : inPostgres(text)
    if (asked === undefined) continue
    const rows = await sql.rows<{ id: number; more: unknown }>(`${asked} LIMIT ${TOLD}`)
    findings.push(...rows.map(row => ({ rule, message: says(row) })))
  }
  return findings
}

/** SQLite's `IS NOT` compares any values. PostgreSQL cannot test whether a text is JSON; only JSON is ever written. */
function inPostgres(text: string): string {
  return text
    .replaceAll(/ IS NOT (?!NULL)/g, ' IS DISTINCT FROM ')
    .replaceAll(/NOT json_valid\([a-z.]+\)/g, 'FALSE')
}
