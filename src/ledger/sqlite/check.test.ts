import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { attemptOf, CANCEL, failureOf, PARK, RETRY } from '../../../test/ledger/conformance/samples.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { memoryLedger } from '../../testing/memory-ledger.ts'
import type { EndingVerdict } from '../settlement.ts'
import { checkFile } from './check-file.ts'
import { openLedger, type SqliteLedger } from './sqlite-ledger.ts'
import type { SqliteTransaction } from './sqlite-transaction.ts'

/** Which change to the rows breaks which promise. The ledger has one operation in each state; see below. */
const BROKEN: readonly [rule: string, sql: string][] = [
  ['numbers_can_be_ours', "UPDATE operations SET id = 9223372036854775807 WHERE state = 'dead'"],
  ['numbers_can_be_ours', "UPDATE operations SET id = -5 WHERE state = 'dead'"],
  ['numbers_can_be_ours', "INSERT INTO keys VALUES ('a', 'k2', 9007199254740993, '')"],
  ['numbers_can_be_ours', 'UPDATE attempts SET id = 0 WHERE id = (SELECT min(id) FROM attempts)'],
  ['numbers_can_be_ours', "UPDATE operations SET due_at = 9000000000000000 WHERE state = 'scheduled'"],
  ['numbers_can_be_ours', "UPDATE events SET at = -9000000000000000 WHERE type = 'dead'"],
  ['running_is_leased', 'DELETE FROM leases'],
  ['leased_is_running', "UPDATE operations SET state = 'succeeded', ended_at = 1 WHERE state = 'running'"],
  ['leased_is_running', 'UPDATE leases SET run = run + 1'],
  ['leased_is_running', "INSERT INTO leases VALUES (999, 1, 'r', 'a', '', 0, 0, 0)"],
  ['attempts_are_numbered', 'UPDATE operations SET attempts = attempts + 1'],
  [
    'attempt_has_operation',
    'INSERT INTO attempts (id, run, started_at, ended_at) VALUES (65536 * 999 + 1, 1, 0, 0)',
  ],
  ['attempt_has_operation', 'UPDATE operations SET attempts = 0'],
  ['attempt_of_a_run', 'UPDATE attempts SET run = 7'],
  ['event_has_operation', "UPDATE events SET operation = 999 WHERE type = 'parked'"],
  ['last_event_is_the_last', "UPDATE operations SET last_event = 999 WHERE state = 'dead'"],
  ['last_event_is_the_last', "UPDATE operations SET last_event = id WHERE state = 'dead'"],
  ['events_are_chained', "UPDATE events SET previous = NULL WHERE type = 'dead'"],
  ['events_are_chained', "UPDATE events SET previous = id WHERE type = 'dead'"],
  ['numbers_can_be_ours', "UPDATE events SET id = -1 WHERE type = 'dead'"],
  ['events_are_in_one_chain', "UPDATE events SET previous = operation WHERE type = 'dead'"],
  [
    'state_follows_its_event',
    "UPDATE operations SET state = 'scheduled', ended_at = NULL WHERE state = 'succeeded'",
  ],
  ['state_follows_its_event', "UPDATE events SET type = 'claimed' WHERE type = 'succeeded'"],
  ['numbers_are_used_once', "INSERT INTO events (id, at, type) VALUES (1, 0, 'paused')"],
  ['state_has_its_fields', "UPDATE operations SET ended_at = NULL WHERE state = 'dead'"],
  ['state_has_its_fields', "UPDATE operations SET held_by = 'p' WHERE state = 'parked'"],
  ['held_by_its_own_engine', "UPDATE operations SET held_by = 'engine:x' WHERE state = 'scheduled'"],
  ['key_has_operation', "INSERT INTO keys VALUES ('a', 'other', 999, '')"],
  ['key_has_operation', "UPDATE keys SET capability = 'b'"],
  ['operation_has_key', 'DELETE FROM keys'],
  ['provider_has_operation', "INSERT INTO operation_providers VALUES ('p', 999)"],
  ['operation_has_provider', "DELETE FROM operation_providers WHERE provider = 'q'"],
  ['operation_has_provider', "UPDATE operations SET provider = 'r' WHERE state = 'parked'"],
  [
    'failure_has_text',
    'DELETE FROM failure_texts WHERE rowid IN (SELECT id FROM attempts WHERE failure IS NOT NULL)',
  ],
  ['times_rise_between_jumps', 'DELETE FROM clock_jumps'],
  ['cursor_within_events', "INSERT INTO cursors VALUES ('somebody', 999)"],
  ['unknown_was_seen', 'UPDATE unknowns SET parked = 0'],
  ['unknown_was_seen', 'UPDATE unknowns SET first_seen_at = last_seen_at + 1'],
  ['unknown_is_bounded', "UPDATE unknowns SET samples = '[]'"],
  ['unknown_is_bounded', "UPDATE unknowns SET models = '{'"],
  ['unknown_is_escalated_once', "UPDATE unknowns SET escalated_at = NULL WHERE provider = 'q'"],
  ['withdrawn_label_has_its_fields', 'UPDATE labels SET withdrawn_by = NULL WHERE withdrawn_at IS NOT NULL'],
  ['withdrawn_label_has_its_fields', 'UPDATE labels SET replaced_by = 1 WHERE replaced_by IS NOT NULL'],
  ['label_is_replaced_by_its_own_kind', 'UPDATE labels SET replaced_by = 99 WHERE replaced_by IS NOT NULL'],
  ['notice_has_its_words', "UPDATE notices SET priority = 'loud'"],
  ['notice_has_its_words', "UPDATE notices SET read_by = 'me', read_at = NULL"],
  ['notice_within_events', 'UPDATE notices SET event = 999'],
  ['delivery_has_notice', 'DELETE FROM notices'],
  ['delivery_has_its_fields', "UPDATE deliveries SET state = 'pending'"],
  ['delivery_has_its_fields', "UPDATE deliveries SET state = 'failed'"],
  ['workflow_run_has_its_fields', "UPDATE workflow_runs SET state = 'failed'"],
  ['workflow_run_has_its_fields', 'UPDATE workflow_runs SET version = 0'],
  ['workflow_run_has_plan', 'DELETE FROM workflow_plans'],
  ['workflow_run_has_plan', "UPDATE workflow_plans SET plan = '{'"],
  ['workflow_plan_has_run', "INSERT INTO workflow_plans (hash, plan) VALUES ('h', '1')"],
  ['workflow_step_has_run', 'UPDATE workflow_runs SET steps = 1'],
  ['workflow_step_has_run', 'DELETE FROM workflow_runs'],
  ['workflow_step_has_its_fields', "UPDATE workflow_steps SET reason = 'no' WHERE state = 'open'"],
  ['workflow_step_has_its_fields', "UPDATE workflow_steps SET result = '1' WHERE state = 'asked'"],
  ['workflow_step_has_its_fields', "UPDATE workflow_steps SET result = '{' WHERE state = 'succeeded'"],
  ['workflow_step_has_its_fields', "UPDATE workflow_steps SET ended_at = 1 WHERE state = 'open'"],
  ['open_step_has_operation', "UPDATE workflow_steps SET operation = 999 WHERE state = 'open'"],
  ['open_step_has_operation', "UPDATE operations SET source = 'submit'"],
  [
    'operation_is_one_step',
    "UPDATE workflow_steps SET operation = (SELECT operation FROM workflow_steps WHERE state = 'open'), operations = 1",
  ],
  ['ended_run_waits_for_nobody', "UPDATE workflow_runs SET state = 'failed', ended_at = 1"],
  ['succeeded_run_has_all_steps', "UPDATE workflow_runs SET state = 'succeeded', ended_at = 1"],
  ['workflow_action_has_run', 'UPDATE workflow_actions SET run = 99'],
  ['remembered_step_has_operation', 'UPDATE remembered_steps SET run = 99'],
  ['remembered_step_has_operation', 'UPDATE remembered_steps SET operation = 999'],
]

/** A workflow run with a step of each kind, and a remembered step. */
function work(writes: SqliteTransaction, operation: string): void {
  const [step] = writes.insert([{ capability: 'a', params: 1, source: 'workflow' }])
  const { id } = writes.addWorkflowRun({ workflow: 'w', plan: 1, steps: 4, params: 1, by: 'ann' })
  writes.changeWorkflowRun(id, 1, {
    steps: [
      { step: 0, state: 'open', operation: step?.id as string, operations: 1 },
      { step: 1, state: 'asked' },
      { step: 2, state: 'succeeded', result: 1 },
      { step: 3, state: 'skipped', reason: 'when' },
    ],
    action: { by: 'ann', action: 'skip', step: 3 },
  })
  writes.rememberStep({ id: operation, run: 1 }, 'upload', 'there')
}

/** An unknown from two providers, a label that replaced another, a delivered notice. */
function teach(writes: SqliteTransaction, time: FakeTime): void {
  const failure = failureOf({ class: 'unknown', kind: 'unknown' })
  const { fingerprint } = failure
  for (const provider of ['p', 'q'])
    writes.recordUnknown({ failure, provider, at: time.now(), outcome: 'parked' })
  writes.markEscalated(fingerprint)
  for (const who of ['ann', 'bob']) writes.addLabel({ fingerprint, class: 'transient', who })
  const { id } = writes.addNotice({
    key: 'k',
    event: 1,
    type: 'unknown',
    priority: 'high',
    disposition: 'actionable',
    title: 'unknown failure',
    body: 'label it',
    expiresAt: time.now() + 1_000,
  })
  const delivery = writes.addDelivery({ notice: id, surface: 'slack' })
  writes.settleDelivery(delivery.id, { delivered: true, reference: '7' })
}

describe('a check', () => {
  const time = new FakeTime()
  let ledger: SqliteLedger

  /** One operation each that waits, running, parked, dead, done and discarded; and a clock that went back. */
  beforeEach(async () => {
    ledger = await memoryLedger({ time })
    await ledger.transaction(writes => {
      const insert = (more: object = {}) =>
        writes.insert([{ capability: 'a', params: 1, ...more }])[0]?.id as string
      const run = (id: string) => ({ id, run: writes.start(id)?.operation.run as number })
      const fail = (id: string, verdict: EndingVerdict) =>
        writes.settle(run(id), { verdict, attempt: attemptOf(time, { failure: failureOf() }) })
      const held = insert({ key: 'k', providers: ['p', 'q'] })
      fail(held, RETRY)
      time.jump(-5_000)
      const { id, run: number } = run(insert())
      writes.db
        .prepare("INSERT INTO leases VALUES (?, ?, 'r', 'a', '', 0, 0, 0)")
        .run(Number(id.slice(3)), number)
      work(writes, id)
      const parked = insert()
      fail(parked, PARK)
      writes.edit(parked, { params: 2, providers: ['p'] })
      const dead = insert()
      fail(dead, RETRY)
      fail(dead, CANCEL)
      writes.settle(run(insert()), { succeeded: true, attempt: attemptOf(time) })
      const discarded = insert()
      fail(discarded, CANCEL)
      writes.discard(discarded)
      writes.tell('paused', { queue: true })
      teach(writes, time)
    })
    await ledger.moveCursor('reader', 0, await ledger.lastEvent())
  })
  afterEach(() => ledger.close())

  it('finds nothing if nothing is wrong', async () => {
    expect(await ledger.check()).toEqual([])
  })

  it.each(BROKEN)('finds that %s is broken by: %s', async (rule, sql) => {
    ledger.read(db => db.exec(sql))
    const found = await ledger.check()
    expect(found.map(finding => finding.rule)).toContain(rule)
    for (const { message } of found) expect(message).not.toMatch(/undefined|NaN|null/)
  })
})

describe('a file that somebody else may have written', () => {
  it.each([
    ['trigger', 'CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM operations; END'],
    ['view', 'CREATE VIEW t AS SELECT 1'],
  ])('is refused with a %s', async (what, sql) => {
    const file = join(mkdtempSync(join(tmpdir(), 'mulligan-foreign-')), 'ledger.sqlite')
    await (await openLedger({ file })).close()
    expect(checkFile(file).findings).toEqual([])
    const db = new DatabaseSync(file)
    db.exec(sql)
    db.close()
    expect(() => checkFile(file)).toThrow(`has a ${what} named "t", which no ledger has`)
  })
})
