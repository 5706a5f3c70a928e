import { COVERED_MS } from '../record/runners.ts'
import { IS_PAUSE } from '../row/provider-access.ts'

/** The changes to an operation's row when a run begins; `n` has the event and the length of the lease. */
export const RUN_BEGINS = (
  now: string,
  runner: string,
): string => `state = 'running', run = o.run + 1, since = ${now},
    updated_at = ${now}, run_cost_usd = 0, run_provider = NULL, held_by = NULL, last_event = n.event, runner = ${runner},
    lease_ms = n.length, lease_until = ${now} + n.length, renewals = 0, retrying_ms = CASE
      WHEN o.waiting = 'retry' AND o.held_by IS NULL THEN o.retrying_ms + ${COVERED_MS('o.capability', 'o.since', `least(${now}, o.due_at)`)}
      ELSE o.retrying_ms END`

/**
 * What a running operation is read from. The other columns are of its lease or of other states, and a claim of many has no need to
 * send and read them.
 */
export const OF_RUNNING =
  `id, capability, params, provider, rank, state, due_at, since, mode, run, attempts, retries, snoozes, waits,
    retrying_ms, snoozed_ms, first_failed_at, created_at, updated_at, reason, class, kind, fingerprint, message, cancel_requested,
    key, session, source, context, agent_session, folder, cost_usd, max_retries, retry_for_ms, trace`
    .split(/,\s*/)
    .map(column => `o.${column}`)
    .join(', ')

/** Operations that wait and are not held: the index has a stretch for each capability, provider and priority. */
export const DUE = `o.state = 'scheduled' AND o.held_by IS NULL`

/** The stretches of these capabilities, `c(capability, …)`: each costs one jump in the index, however much is stored. */
export const STRETCHES = (capabilities: string): string => `
    SELECT c.capability, s.provider, s.rank FROM ${capabilities}, LATERAL (
      SELECT o.provider, o.rank FROM operations o WHERE ${DUE} AND o.capability = c.capability
      ORDER BY o.provider, o.rank LIMIT 1) s
    UNION ALL SELECT s.capability, n.provider, n.rank FROM stretch s, LATERAL (
      SELECT o.provider, o.rank FROM operations o WHERE ${DUE} AND o.capability = s.capability
        AND (o.provider, o.rank) > (s.provider, s.rank) ORDER BY o.provider, o.rank LIMIT 1) n`

/**
 * Makes the server find the operations by their key. It expects hundreds of rows from a LIMIT that it does not know, and would
 * otherwise read the whole table, as long as that is not very large.
 */
const BY_KEY = (found: string): string => `o.id = ANY(ARRAY(SELECT id FROM ${found}))`

/**
 * Begins the most urgent due operations in one statement, which covers most claims. Begins nothing if anything is paused or
 * any provider is closed. Skips rows that another claim has locked.
 */
export const START_DUE = `WITH RECURSIVE stretch AS (${STRETCHES('unnest($1::text[]) AS c(capability)')}),
  due AS (SELECT r.* FROM stretch s, LATERAL (
    SELECT o.id, o.rank, o.due_at, o.capability, o.run, o.last_event FROM operations o WHERE ${DUE}
      AND o.capability = s.capability AND o.provider = s.provider AND o.rank = s.rank AND o.due_at <= $4
    ORDER BY o.due_at, o.id LIMIT $3 FOR UPDATE OF o SKIP LOCKED) r
    WHERE NOT EXISTS (SELECT 1 FROM pauses) AND NOT EXISTS (SELECT 1 FROM provider_gates)
      AND NOT EXISTS (SELECT 1 FROM provider_state WHERE ${IS_PAUSE}
        AND coalesce((value::json ->> 'until')::float8 > $4, true))),
  numbered AS (SELECT d.*, ($2::bigint[])[array_position($1::text[], d.capability)] AS length, nextval('numbers') AS event
    FROM (SELECT * FROM due ORDER BY rank, due_at, id LIMIT $3) d),
  told AS (INSERT INTO events (id, at, type, operation, run, previous)
    SELECT event, $4, 'claimed', id, run + 1, last_event FROM numbered)
  UPDATE operations o SET ${RUN_BEGINS('$4', '$5')} FROM numbered n WHERE o.id = n.id AND ${BY_KEY('numbered')} RETURNING ${OF_RUNNING}`
