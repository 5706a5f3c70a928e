import type { DatabaseSync } from 'node:sqlite'
import { LedgerError } from '../error.ts'
import { readSnapshot, rollBack } from './snapshot.ts'
import { WHOLE_SCHEMA } from './whole-schema.ts'

/** "MLGN": marks the file as ours, so that a foreign database is never touched. */
const APPLICATION_ID = 0x4d4c474e

/**
 * The schema, step by step. A published step never changes; a new one is added instead. Notes on step 1:
 *
 * - One sequence numbers everything that happens. An operation has the number of its submission, and so is that event
 *   itself; the events table has all other events. A submission writes one row and one index.
 * - `held_by` ends the due index so that the index alone answers its own condition, without reading the row.
 * - `rank` is the negated priority: smaller comes first, as an index needs it.
 * - `provider` is the only provider of an operation, or empty for none and for several. Limits, blocks and pauses of
 *   that provider skip whole stretches of the due index instead of checking each row.
 * - `previous` chains the events of one operation, down to the operation's own number, so that its timeline needs no
 *   index.
 * - Each state has its own partial index, so that a submission and a claim pay for one each. The index of scheduled
 *   operations is ordered for claims, not for lists.
 * - Ids of attempts are operation * 65536 + number, so that an operation's attempts are adjacent and the full-text
 *   index finds operations in the order of their ids.
 * - `clock_jumps` has the first operation after each time the wall clock went back. Between them creation times only
 *   rise, so a time range is an id range, without an index.
 *
 * Step 2: `attendance` has the stretches of time in which a runner had a capability, because time without one must not
 * count against an operation.
 *
 * Step 3: `result_cut` says that `result` is a placeholder for a larger one. The content cannot say so, because a
 * program may return anything; for rows stored before, the content decides.
 *
 * Step 4: `events_of_none` finds old events that belong to no operation. It has no others, so a claim pays nothing.
 *
 * Step 5: `provider` of an unknown is empty for none, and of a label for all, because NULL never equals NULL. Numbers
 * of deleted notices and deliveries are never used again. `trace` is the trace of an operation; events are unchanged.
 *
 * Step 6: ids of steps are run * 1024 + position in the plan, so that the steps of a run are adjacent. `workflow_steps`
 * has rows only for steps to which something has happened; `operation` finds the step of an operation, and protects the
 * operation from deletion until its end is recorded. Equal plans are stored once. `remembered_steps` are parts of one
 * operation's work that its next run does not repeat.
 *
 * Step 7: notices have a cause, and are resolved when it is gone; `outdated_at` marks messages that then say what is no
 * longer true. `notices_cause` has only open notices, because only those are looked for by cause.
 *
 * Step 8: whether a provider is paused, and until when, is one row of `provider_state`. A row of `provider_gates` with
 * neither a block nor `freed_at` says that it was closed: the first claim that finds it free opens it.
 *
 * Step 10: `operations_waits` finds waits that were written while the clock was ahead. Submissions and their first claim
 * pay nothing for it; those written ahead are found by `clock_jumps`.
 *
 * Step 11: `operations_dead` finds how operations died; only a death pays for it. `notices_to_act_on` groups and counts what
 * waits for a person, without reading what was read or resolved.
 *
 * Step 13: `provider` has all providers of an operation (`row/pool-key.ts`), so that the due index also has a stretch for each pool:
 * a claim skips closed ones, and nothing is marked as held. `held_by` is left for jobs that another engine has.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE operations (
    id INTEGER PRIMARY KEY,
    capability TEXT NOT NULL,
    params TEXT NOT NULL,
    provider TEXT NOT NULL,
    providers TEXT,
    rank INTEGER NOT NULL,
    state TEXT NOT NULL,
    due_at INTEGER NOT NULL,
    since INTEGER NOT NULL,
    waiting TEXT NOT NULL,
    mode TEXT NOT NULL,
    held_by TEXT,
    run INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    retries INTEGER NOT NULL DEFAULT 0,
    snoozes INTEGER NOT NULL DEFAULT 0,
    retrying_ms INTEGER NOT NULL DEFAULT 0,
    snoozed_ms INTEGER NOT NULL DEFAULT 0,
    first_failed_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    parked_for TEXT,
    dead_as TEXT,
    reason TEXT,
    class TEXT,
    kind TEXT,
    fingerprint TEXT,
    message TEXT,
    cancel_requested INTEGER NOT NULL DEFAULT 0,
    key TEXT,
    key_retention_ms INTEGER,
    session TEXT,
    source TEXT NOT NULL,
    context TEXT,
    agent_session TEXT,
    folder TEXT,
    run_provider TEXT,
    run_cost_usd REAL NOT NULL DEFAULT 0,
    cost_usd REAL NOT NULL DEFAULT 0,
    last_event INTEGER NOT NULL,
    result TEXT
  );
  CREATE INDEX operations_due ON operations (capability, provider, rank, due_at, held_by)
    WHERE state = 'scheduled' AND held_by IS NULL;
  CREATE INDEX operations_held ON operations (held_by, capability, rank, due_at) WHERE held_by IS NOT NULL;
  CREATE INDEX operations_running ON operations (state) WHERE state = 'running';
  CREATE INDEX operations_parked ON operations (parked_for) WHERE parked_for IS NOT NULL;
  CREATE INDEX operations_ended ON operations (capability, state) WHERE state = 'succeeded' OR state = 'dead';
  CREATE INDEX operations_class ON operations (class) WHERE class IS NOT NULL;
  CREATE INDEX operations_kind ON operations (kind) WHERE kind IS NOT NULL;
  CREATE INDEX operations_fingerprint ON operations (fingerprint) WHERE fingerprint IS NOT NULL;
  CREATE INDEX operations_session ON operations (session) WHERE session IS NOT NULL;
  CREATE INDEX operations_agent_session ON operations (agent_session) WHERE agent_session IS NOT NULL;
  CREATE TABLE operation_providers (
    provider TEXT NOT NULL,
    operation INTEGER NOT NULL,
    PRIMARY KEY (provider, operation)
  ) WITHOUT ROWID;
  CREATE TABLE keys (
    capability TEXT NOT NULL,
    key TEXT NOT NULL,
    operation INTEGER NOT NULL,
    params_hash TEXT NOT NULL,
    PRIMARY KEY (capability, key)
  ) WITHOUT ROWID;
  CREATE TABLE clock_jumps (first INTEGER PRIMARY KEY);
  CREATE TABLE attempts (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    provider TEXT,
    model TEXT,
    failure TEXT,
    verdict TEXT,
    cost_usd REAL,
    turns INTEGER,
    session_id TEXT,
    note TEXT
  );
  CREATE VIRTUAL TABLE failure_texts USING fts5(text, content='', contentless_delete=1);
  CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    operation INTEGER,
    run INTEGER,
    previous INTEGER,
    data TEXT
  );
  CREATE TABLE cursors (consumer TEXT PRIMARY KEY, event INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE runners (
    id TEXT PRIMARY KEY,
    capabilities TEXT NOT NULL,
    label TEXT,
    started_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE provider_state (
    key TEXT PRIMARY KEY,
    value TEXT,
    version INTEGER NOT NULL,
    change INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE provider_spend (
    scope TEXT NOT NULL,
    at INTEGER NOT NULL,
    usd REAL NOT NULL,
    tokens INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (scope, at)
  ) WITHOUT ROWID;
  CREATE TABLE leases (
    operation INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    runner TEXT NOT NULL,
    capability TEXT NOT NULL,
    provider TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    length_ms INTEGER NOT NULL,
    renewals INTEGER NOT NULL
  );
  CREATE TABLE provider_gates (
    provider TEXT PRIMARY KEY,
    blocked_until INTEGER,
    paused INTEGER NOT NULL,
    freed_at INTEGER,
    taken INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE pauses (kind TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;`,
  `ALTER TABLE operations ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE operations ADD COLUMN max_retries INTEGER;
  ALTER TABLE operations ADD COLUMN retry_for_ms INTEGER;
  CREATE TABLE attendance (
    capability TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    PRIMARY KEY (capability, from_at)
  ) WITHOUT ROWID;`,
  `ALTER TABLE operations ADD COLUMN result_cut INTEGER NOT NULL DEFAULT 0;
  UPDATE operations SET result_cut = 1 WHERE state = 'succeeded' AND result LIKE '{"$cut":{"bytes":%';`,
  `CREATE INDEX events_of_none ON events (at) WHERE operation IS NULL OR type = 'discarded';`,
  `ALTER TABLE operations ADD COLUMN trace TEXT;
  CREATE TABLE unknowns (
    id INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    provider TEXT NOT NULL,
    parked INTEGER NOT NULL DEFAULT 0,
    failover INTEGER NOT NULL DEFAULT 0,
    ended INTEGER NOT NULL DEFAULT 0,
    first_seen_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    models TEXT NOT NULL,
    samples TEXT NOT NULL,
    escalated_at INTEGER,
    UNIQUE (fingerprint, provider)
  );
  CREATE TABLE labels (
    id INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    provider TEXT NOT NULL,
    class TEXT NOT NULL,
    kind TEXT,
    effect TEXT,
    retry_after_ms INTEGER,
    signature TEXT,
    who TEXT NOT NULL,
    why TEXT,
    at INTEGER NOT NULL,
    withdrawn_at INTEGER,
    withdrawn_by TEXT,
    replaced_by INTEGER
  );
  CREATE UNIQUE INDEX labels_in_force ON labels (fingerprint, provider) WHERE withdrawn_at IS NULL;
  CREATE TABLE notices (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    event INTEGER,
    type TEXT NOT NULL,
    priority TEXT NOT NULL,
    disposition TEXT NOT NULL,
    session TEXT,
    workspace TEXT,
    operation INTEGER,
    provider TEXT,
    fingerprint TEXT,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    preview TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    read_at INTEGER,
    read_by TEXT,
    shown_at INTEGER
  );
  CREATE INDEX notices_session ON notices (session) WHERE session IS NOT NULL;
  CREATE INDEX notices_workspace ON notices (workspace) WHERE workspace IS NOT NULL;
  CREATE INDEX notices_operation ON notices (operation) WHERE operation IS NOT NULL;
  CREATE INDEX notices_fingerprint ON notices (fingerprint) WHERE fingerprint IS NOT NULL;
  CREATE INDEX notices_expiry ON notices (expires_at);
  CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    notice INTEGER NOT NULL,
    surface TEXT NOT NULL,
    operation INTEGER,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    settled_at INTEGER,
    reference TEXT,
    reason TEXT,
    UNIQUE (notice, surface)
  );
  CREATE INDEX deliveries_pending ON deliveries (surface) WHERE state = 'pending';
  CREATE INDEX deliveries_operation ON deliveries (operation) WHERE operation IS NOT NULL;`,
  `CREATE TABLE workflow_plans (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hash TEXT NOT NULL UNIQUE,
    plan TEXT NOT NULL
  );
  CREATE TABLE workflow_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workflow TEXT NOT NULL,
    plan INTEGER NOT NULL,
    steps INTEGER NOT NULL,
    params TEXT NOT NULL,
    params_hash TEXT,
    key TEXT,
    session TEXT,
    by TEXT NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    reason TEXT,
    idle_told_at INTEGER
  );
  CREATE UNIQUE INDEX workflow_runs_key ON workflow_runs (workflow, key) WHERE key IS NOT NULL;
  CREATE INDEX workflow_runs_running ON workflow_runs (state) WHERE state = 'running';
  CREATE INDEX workflow_runs_ended ON workflow_runs (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX workflow_runs_plan ON workflow_runs (plan);
  CREATE TABLE workflow_steps (
    id INTEGER PRIMARY KEY,
    state TEXT NOT NULL,
    operation INTEGER,
    operations INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    deadline INTEGER,
    reason TEXT,
    cause INTEGER,
    by TEXT,
    result_cut INTEGER NOT NULL,
    result TEXT
  );
  CREATE INDEX workflow_steps_operation ON workflow_steps (operation) WHERE operation IS NOT NULL;
  CREATE INDEX workflow_steps_deadline ON workflow_steps (deadline) WHERE deadline IS NOT NULL;
  CREATE TABLE workflow_actions (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    at INTEGER NOT NULL,
    by TEXT NOT NULL,
    action TEXT NOT NULL,
    step INTEGER,
    note TEXT
  );
  CREATE INDEX workflow_actions_run ON workflow_actions (run);
  CREATE TABLE remembered_steps (
    operation INTEGER NOT NULL,
    step TEXT NOT NULL,
    run INTEGER NOT NULL,
    at INTEGER NOT NULL,
    place INTEGER NOT NULL,
    value TEXT,
    PRIMARY KEY (operation, step)
  ) WITHOUT ROWID;`,
  `ALTER TABLE notices ADD COLUMN cause TEXT;
  ALTER TABLE notices ADD COLUMN resolved_at INTEGER;
  ALTER TABLE notices ADD COLUMN resolution TEXT;
  CREATE INDEX notices_cause ON notices (cause) WHERE cause IS NOT NULL AND resolved_at IS NULL;
  CREATE INDEX notices_provider ON notices (provider) WHERE provider IS NOT NULL;
  ALTER TABLE deliveries ADD COLUMN outdated_at INTEGER;
  CREATE INDEX deliveries_outdated ON deliveries (surface) WHERE outdated_at IS NOT NULL;`,
  `ALTER TABLE provider_gates DROP COLUMN paused;
  DELETE FROM settings WHERE substr(name, 1, 10) = 'pause_end:';`,
  `ALTER TABLE attempts ADD COLUMN usage TEXT;
  CREATE TABLE bill (
    at INTEGER NOT NULL,
    client TEXT NOT NULL,
    session TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    tries INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    unpriced INTEGER NOT NULL,
    usd REAL NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    cache_write_tokens INTEGER NOT NULL,
    PRIMARY KEY (at, client, session, provider, model)
  ) WITHOUT ROWID;`,
  `CREATE INDEX operations_waits ON operations (since) WHERE state = 'scheduled' AND waiting <> 'first';`,
  `CREATE INDEX operations_dead ON operations (dead_as) WHERE dead_as IS NOT NULL;
  CREATE INDEX notices_to_act_on ON notices (type, coalesce(cause, title), expires_at)
    WHERE read_at IS NULL AND resolved_at IS NULL AND disposition = 'actionable';`,
  `ALTER TABLE notices ADD COLUMN snoozed_until INTEGER;
  CREATE INDEX notices_snoozed ON notices (snoozed_until) WHERE snoozed_until IS NOT NULL;`,
  `UPDATE operations SET held_by = NULL WHERE held_by IS NOT NULL AND held_by NOT LIKE 'engine:%';
  UPDATE operations SET provider = providers WHERE providers IS NOT NULL;
  ALTER TABLE operations DROP COLUMN providers;`,
]

/** The schema version of an up-to-date file. */
export const SCHEMA_VERSION = MIGRATIONS.length

/** Upgrades the schema. If two processes start at once, one waits and finds it done. */
export function migrate(db: DatabaseSync, file: string): void {
  if (versionOf(db, file) === SCHEMA_VERSION) return
  db.exec('BEGIN IMMEDIATE')
  try {
    const version = versionOf(db, file)
    if (version === 0 && WHOLE_SCHEMA !== undefined) db.exec(WHOLE_SCHEMA)
    else takeSteps(db, version)
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`)
    db.exec('COMMIT')
  } catch (error) {
    rollBack(db)
    throw error
  }
}

/** Takes all steps after a version, within a transaction of the caller. */
export function takeSteps(db: DatabaseSync, version: number): void {
  for (const step of MIGRATIONS.slice(version)) db.exec(step)
}

/** The schema version of a file. Refuses files that are newer, or not ours. */
export function versionOf(db: DatabaseSync, file: string): number {
  // Another process may be creating the tables right now.
  const { version, application, tables } = readSnapshot(db, () => ({
    version: number(db, 'PRAGMA user_version'),
    application: number(db, 'PRAGMA application_id'),
    tables: number(db, 'SELECT count(*) FROM sqlite_schema'),
  }))
  if (application !== APPLICATION_ID && (application !== 0 || tables > 0))
    throw new LedgerError(
      'not_a_ledger',
      `${file} is a database of another application: choose another path for the ledger`,
    )
  if (version > SCHEMA_VERSION)
    throw new LedgerError(
      'newer',
      `${file} was written by a newer Mulligan (schema ${version}; this one knows ${SCHEMA_VERSION}): update Mulligan`,
    )
  return version
}

function number(db: DatabaseSync, sql: string): number {
  return Number(Object.values(db.prepare(sql).get() as Record<string, number>)[0])
}
