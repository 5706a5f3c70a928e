import { LedgerError } from '../error.ts'
import { DROP_JOB_MIRROR } from './drop-job-mirror.ts'
import type { Sql } from './sql.ts'
import { SUBMIT } from './submit-function.ts'

/**
 * The schema, step by step. A published step never changes: add a new one. Rows mean the same as on SQLite. The differences:
 *
 * - `numbers` is one sequence for operations and events, as on SQLite; but transactions do not commit in the order in which
 *   they take numbers, so readers stop at the first open one: see `settled-events.ts`.
 * - The lease of a run is part of its operation's row, which every claim writes anyway.
 * - Creation times have a block range index, which costs an insert almost nothing.
 * - `changes` counts writes other than events, so that one query shows whether anything changed.
 * - Words of failures are lexemes that we compute, so that both databases find the same.
 *
 * The function `submit` is created by the last step that changed it.
 */
const MIGRATIONS: readonly string[] = [
  `CREATE SEQUENCE numbers;
  CREATE SEQUENCE changes;
  CREATE TABLE operations (
    id bigint PRIMARY KEY,
    capability text NOT NULL,
    params text NOT NULL,
    provider text NOT NULL,
    providers text,
    rank integer NOT NULL,
    state text NOT NULL,
    due_at bigint NOT NULL,
    since bigint NOT NULL,
    waiting text NOT NULL,
    mode text NOT NULL,
    held_by text,
    run integer NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    retries integer NOT NULL DEFAULT 0,
    snoozes integer NOT NULL DEFAULT 0,
    waits integer NOT NULL DEFAULT 0,
    retrying_ms bigint NOT NULL DEFAULT 0,
    snoozed_ms bigint NOT NULL DEFAULT 0,
    first_failed_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    ended_at bigint,
    parked_for text,
    dead_as text,
    reason text,
    class text,
    kind text,
    fingerprint text,
    message text,
    cancel_requested integer NOT NULL DEFAULT 0,
    key text,
    key_retention_ms bigint,
    session text,
    source text NOT NULL,
    context text,
    agent_session text,
    folder text,
    run_provider text,
    run_cost_usd double precision NOT NULL DEFAULT 0,
    cost_usd double precision NOT NULL DEFAULT 0,
    last_event bigint NOT NULL,
    result text,
    max_retries integer,
    retry_for_ms bigint,
    result_cut integer NOT NULL DEFAULT 0,
    trace text,
    runner text,
    lease_until bigint,
    lease_ms bigint,
    renewals integer
  ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
  CREATE INDEX operations_due ON operations (capability, provider, rank, due_at, id)
    WHERE state = 'scheduled' AND held_by IS NULL;
  CREATE INDEX operations_held ON operations (held_by, capability, rank, due_at) WHERE held_by IS NOT NULL;
  CREATE INDEX operations_running ON operations (id) WHERE state = 'running';
  CREATE INDEX operations_parked ON operations (parked_for, id) WHERE parked_for IS NOT NULL;
  CREATE INDEX operations_ended ON operations (state, capability, id) WHERE state IN ('succeeded', 'dead');
  CREATE INDEX operations_failed ON operations (fingerprint, id) WHERE fingerprint IS NOT NULL;
  CREATE INDEX operations_class ON operations (class, kind, id) WHERE class IS NOT NULL;
  CREATE INDEX operations_session ON operations (session, id) WHERE session IS NOT NULL;
  CREATE INDEX operations_agent_session ON operations (agent_session, id) WHERE agent_session IS NOT NULL;
  CREATE INDEX operations_created ON operations USING brin (created_at) WITH (pages_per_range = 16, autosummarize = on);
  CREATE TABLE operation_providers (provider text, operation bigint, PRIMARY KEY (provider, operation));
  CREATE TABLE keys (
    capability text,
    key text,
    operation bigint NOT NULL,
    params_hash text NOT NULL,
    PRIMARY KEY (capability, key)
  );
  CREATE TABLE attempts (
    id bigint PRIMARY KEY,
    run integer NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint NOT NULL,
    provider text,
    model text,
    failure text,
    verdict text,
    cost_usd double precision,
    turns integer,
    session_id text,
    note text
  );
  CREATE TABLE failure_texts (attempt bigint PRIMARY KEY, words tsvector NOT NULL);
  CREATE INDEX failure_texts_words ON failure_texts USING gin (words);
  CREATE TABLE events (
    id bigint PRIMARY KEY,
    at bigint NOT NULL,
    type text NOT NULL,
    operation bigint,
    run integer,
    previous bigint,
    data text
  );
  CREATE INDEX events_of_none ON events (at) WHERE operation IS NULL OR type = 'discarded';
  CREATE TABLE cursors (consumer text PRIMARY KEY, event bigint NOT NULL);
  CREATE TABLE settings (name text PRIMARY KEY, value text NOT NULL);
  CREATE TABLE runners (
    id text PRIMARY KEY,
    capabilities text NOT NULL,
    label text,
    started_at bigint NOT NULL,
    seen_at bigint NOT NULL
  );
  CREATE TABLE attendance (
    capability text,
    from_at bigint,
    until_at bigint NOT NULL,
    is_open integer NOT NULL,
    PRIMARY KEY (capability, from_at)
  );
  CREATE TABLE provider_state (key text COLLATE "C" PRIMARY KEY, value text, version integer NOT NULL, change bigint NOT NULL);
  CREATE INDEX provider_state_change ON provider_state (change);
  CREATE TABLE provider_spend (
    scope text COLLATE "C",
    at bigint,
    usd double precision NOT NULL,
    tokens bigint NOT NULL,
    requests bigint NOT NULL,
    PRIMARY KEY (scope, at)
  );
  CREATE TABLE provider_gates (
    provider text PRIMARY KEY,
    blocked_until bigint,
    paused integer NOT NULL,
    freed_at bigint,
    taken integer NOT NULL
  );
  CREATE TABLE pauses (kind text, name text, PRIMARY KEY (kind, name));
  CREATE TABLE unknowns (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    fingerprint text NOT NULL,
    provider text NOT NULL,
    parked integer NOT NULL DEFAULT 0,
    failover integer NOT NULL DEFAULT 0,
    ended integer NOT NULL DEFAULT 0,
    first_seen_at bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    models text NOT NULL,
    samples text NOT NULL,
    escalated_at bigint,
    UNIQUE (fingerprint, provider)
  );
  CREATE TABLE labels (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    fingerprint text NOT NULL,
    provider text NOT NULL,
    class text NOT NULL,
    kind text,
    effect text,
    retry_after_ms bigint,
    signature text,
    who text NOT NULL,
    why text,
    at bigint NOT NULL,
    withdrawn_at bigint,
    withdrawn_by text,
    replaced_by bigint
  );
  CREATE UNIQUE INDEX labels_in_force ON labels (fingerprint, provider) WHERE withdrawn_at IS NULL;
  CREATE TABLE notices (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    event bigint,
    type text NOT NULL,
    priority text NOT NULL,
    disposition text NOT NULL,
    session text,
    workspace text,
    operation bigint,
    provider text,
    fingerprint text,
    title text NOT NULL,
    body text NOT NULL,
    preview text,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    read_at bigint,
    read_by text,
    shown_at bigint
  );
  CREATE INDEX notices_session ON notices (session) WHERE session IS NOT NULL;
  CREATE INDEX notices_workspace ON notices (workspace) WHERE workspace IS NOT NULL;
  CREATE INDEX notices_operation ON notices (operation) WHERE operation IS NOT NULL;
  CREATE INDEX notices_fingerprint ON notices (fingerprint) WHERE fingerprint IS NOT NULL;
  CREATE INDEX notices_expiry ON notices (expires_at);
  CREATE TABLE deliveries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    notice bigint NOT NULL,
    surface text NOT NULL,
    operation bigint,
    state text NOT NULL,
    created_at bigint NOT NULL,
    settled_at bigint,
    reference text,
    reason text,
    UNIQUE (notice, surface)
  );
  CREATE INDEX deliveries_pending ON deliveries (surface) WHERE state = 'pending';
  CREATE INDEX deliveries_operation ON deliveries (operation) WHERE operation IS NOT NULL;
  CREATE TABLE workflow_plans (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash text NOT NULL UNIQUE,
    plan text NOT NULL
  );
  CREATE TABLE workflow_runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workflow text NOT NULL,
    plan bigint NOT NULL,
    steps integer NOT NULL,
    params text NOT NULL,
    params_hash text,
    key text,
    session text,
    by text NOT NULL,
    state text NOT NULL,
    version integer NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    ended_at bigint,
    reason text,
    idle_told_at bigint
  );
  CREATE UNIQUE INDEX workflow_runs_key ON workflow_runs (workflow, key) WHERE key IS NOT NULL;
  CREATE INDEX workflow_runs_running ON workflow_runs (id) WHERE state = 'running';
  CREATE INDEX workflow_runs_ended ON workflow_runs (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX workflow_runs_plan ON workflow_runs (plan);
  CREATE TABLE workflow_steps (
    id bigint PRIMARY KEY,
    state text NOT NULL,
    operation bigint,
    operations integer NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint,
    deadline bigint,
    reason text,
    cause integer,
    by text,
    result_cut integer NOT NULL,
    result text
  );
  CREATE INDEX workflow_steps_operation ON workflow_steps (operation) WHERE operation IS NOT NULL;
  CREATE INDEX workflow_steps_deadline ON workflow_steps (deadline) WHERE deadline IS NOT NULL;
  CREATE TABLE workflow_actions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run bigint NOT NULL,
    at bigint NOT NULL,
    by text NOT NULL,
    action text NOT NULL,
    step integer,
    note text
  );
  CREATE INDEX workflow_actions_run ON workflow_actions (run);
  CREATE TABLE remembered_steps (
    operation bigint,
    step text,
    run integer NOT NULL,
    at bigint NOT NULL,
    place integer NOT NULL,
    value text,
    PRIMARY KEY (operation, step)
  )`,
  // What each transaction writes to show that it committed: see `commit-marker.ts`. Half-empty pages, because the rows are
  // overwritten all the time.
  `CREATE TABLE commits (writer text PRIMARY KEY, number integer NOT NULL, at timestamptz NOT NULL DEFAULT now())
    WITH (fillfactor = 50)`,
  // Notices are resolved when their cause is gone: see step 7 of SQLite.
  `ALTER TABLE notices ADD COLUMN cause text, ADD COLUMN resolved_at bigint, ADD COLUMN resolution text;
  CREATE INDEX notices_cause ON notices (cause) WHERE cause IS NOT NULL AND resolved_at IS NULL;
  CREATE INDEX notices_provider ON notices (provider) WHERE provider IS NOT NULL;
  ALTER TABLE deliveries ADD COLUMN outdated_at bigint;
  CREATE INDEX deliveries_outdated ON deliveries (surface) WHERE outdated_at IS NOT NULL`,
  `${DROP_JOB_MIRROR} ${SUBMIT}`,
  // Whether a provider is paused is in provider_state alone: see step 8 of SQLite.
  `ALTER TABLE provider_gates DROP COLUMN paused;
  DELETE FROM settings WHERE starts_with(name, 'pause_end:')`,
  `ALTER TABLE attempts ADD COLUMN usage text;
  CREATE TABLE bill (
    at bigint,
    client text COLLATE "C",
    session text COLLATE "C",
    provider text COLLATE "C",
    model text COLLATE "C",
    tries bigint NOT NULL,
    failed bigint NOT NULL,
    unpriced bigint NOT NULL,
    usd double precision NOT NULL,
    input_tokens bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cached_tokens bigint NOT NULL,
    cache_write_tokens bigint NOT NULL,
    PRIMARY KEY (at, client, session, provider, model)
  )`,
  // Finds waits that were written while the clock was ahead. Submissions pay nothing for it: created_at finds them.
  `CREATE INDEX operations_waits ON operations (since) WHERE state = 'scheduled' AND waiting <> 'first'`,
  // How operations died, and what waits for a person: see step 11 of SQLite. A title may be longer than an index entry may be.
  `CREATE INDEX operations_dead ON operations (dead_as, id) WHERE dead_as IS NOT NULL;
  CREATE INDEX notices_to_act_on ON notices (id)
    WHERE read_at IS NULL AND resolved_at IS NULL AND disposition = 'actionable'`,
  // Large results, for every host: see `results.ts`.
  `CREATE TABLE results (
    operation bigint NOT NULL REFERENCES operations (id) ON DELETE CASCADE,
    run integer NOT NULL,
    json text NOT NULL,
    PRIMARY KEY (operation, run)
  )`,
  // Notices that come back later.
  `ALTER TABLE notices ADD COLUMN snoozed_until bigint;
  CREATE INDEX notices_snoozed ON notices (snoozed_until) WHERE snoozed_until IS NOT NULL`,
  // All providers in one column, and no marks of what is held for one: see step 13 of SQLite.
  `UPDATE operations SET held_by = NULL WHERE held_by IS NOT NULL AND held_by NOT LIKE 'engine:%';
  UPDATE operations SET provider = providers WHERE providers IS NOT NULL;
  ALTER TABLE operations DROP COLUMN providers`,
  // Every runner looks for the few events that are not of successes, as often as anything is written.
  `CREATE INDEX events_other ON events (id) WHERE type NOT IN ('claimed', 'succeeded')`,
]

/** The schema version of an up-to-date ledger. */
export const POSTGRES_SCHEMA_VERSION = MIGRATIONS.length

/** A name quoted for a PostgreSQL statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** The version of a ledger's schema; 0 if there is none. Refuses a newer one. */
export async function schemaVersion(sql: Sql, schema: string): Promise<number> {
  const found = await sql.row<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [
    `${quoted(schema)}.ledger_version`,
  ])
  if (!found?.there) return 0
  const [row] = (await sql.exec(`SELECT version FROM ${quoted(schema)}.ledger_version`)) as {
    version: number
  }[]
  const version = row?.version ?? 0
  if (version > POSTGRES_SCHEMA_VERSION)
    throw new LedgerError(
      'newer',
      `the schema ${schema} was written by a newer Mulligan (schema ${version}; this one knows ${POSTGRES_SCHEMA_VERSION}): update Mulligan`,
    )
  return version
}

/**
 * Updates the schema, in a transaction of the caller. If several processes start at once, one does it, and the others wait
 * and find it done.
 */
export async function migrate(sql: Sql, schema: string, to = POSTGRES_SCHEMA_VERSION): Promise<void> {
  await sql.run(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`mulligan:migrate:${schema}`])
  const version = await schemaVersion(sql, schema)
  if (version >= to) return
  if (version === 0) {
    const strange = await sql.row<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v') LIMIT 1`,
      [schema],
    )
    if (strange)
      throw new LedgerError(
        'not_a_ledger',
        `the schema ${schema} has tables that are not Mulligan's (${strange.name}): choose another with ?schema=NAME`,
      )
    await sql.exec(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`)
  }
  await sql.exec(`SET LOCAL search_path TO ${quoted(schema)}`)
  if (version === 0) await sql.exec('CREATE TABLE ledger_version (version integer NOT NULL)')
  for (const step of MIGRATIONS.slice(version, to)) await sql.exec(step)
  await sql.exec(`DELETE FROM ledger_version; INSERT INTO ledger_version VALUES (${to})`)
}
