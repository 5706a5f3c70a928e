import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attemptOf, failureOf } from '../../../test/ledger/conformance/samples.ts'
import type { Failure } from '../../failure/failure.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { memoryLedger } from '../../testing/memory-ledger.ts'
import { CANCEL_REASONS, PARK_REASONS } from '../../verdict/verdict.ts'
import type { Attempt } from '../attempt.ts'
import type { Counts, OperationFilter } from '../filter.ts'
import { OPERATION_STATES, type Operation } from '../operation.ts'
import { blockAccess, unblockAccess } from '../record/provider-access.ts'
import type { EndingVerdict, Settlement } from '../settlement.ts'
import type { SqliteLedger } from './sqlite-ledger.ts'
import type { SqliteTransaction } from './sqlite-transaction.ts'

const CITIZEN = 'engine:e/q'
const CAPABILITIES = ['a', 'b', CITIZEN]
const PROVIDERS = ['p', 'q']
const SESSIONS = ['s', 't']
const FINGERPRINTS = ['fp1:1', 'fp1:2']
const CLASSES = ['transient', 'throttle'] as const
const KINDS = ['overloaded', 'rate_limit'] as const
const WORDS = ['slow down', 'the model is overloaded', 'too slow']
const about = { reason: 'because', rule: 'test' }

/** One change to one operation (or to the clock), which may not be possible in its current state. */
type Change = (writes: SqliteTransaction, id: string, time: FakeTime) => void
interface Step {
  change: Change
  toString: () => string
}
const step = (name: string, change: Change): Step => ({ change, toString: () => name })

const failure: fc.Arbitrary<Failure> = fc
  .record({
    class: fc.constantFrom(...CLASSES),
    kind: fc.constantFrom(...KINDS),
    fingerprint: fc.constantFrom(...FINGERPRINTS),
    message: fc.constantFrom(...WORDS),
  })
  .map(failureOf)

const verdict: fc.Arbitrary<EndingVerdict> = fc.oneof(
  fc.constant<EndingVerdict>({ action: 'retry', delayMs: 1_000, mode: 'again', ...about }),
  fc
    .constantFrom(...PARK_REASONS)
    .map((reason): EndingVerdict => ({ action: 'park', for: reason, ...about })),
  fc.constantFrom(...CANCEL_REASONS).map((as): EndingVerdict => ({ action: 'cancel', as, ...about })),
)

const ends: fc.Arbitrary<Step> = fc
  .tuple(fc.option(failure), fc.option(fc.constantFrom(...SESSIONS)), fc.option(verdict))
  .map(([failed, sessionId, bad]) =>
    step(
      `end ${JSON.stringify(bad ?? 'well')} by ${failed?.message}, session ${sessionId}`,
      (writes, id, time) => {
        const run = runOf(writes, id)
        if (run === undefined) return
        const attempt = attemptOf(time, {
          ...(failed ? { failure: failed } : {}),
          ...(sessionId ? { sessionId } : {}),
        })
        const how: Settlement = bad ? { verdict: bad, attempt } : { succeeded: true, attempt }
        writes.settle({ id, run }, how)
      },
    ),
  )

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: ends },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      step('start', (writes, id) => void writes.start(id)),
      step('cancel', (writes, id) => void writes.cancel(id, 'enough')),
      step('revive', (writes, id) => void writes.revive(id)),
      step('unpark', (writes, id) => void writes.unpark(id, { by: 'caller', reason: 'it is there' })),
      step('discard', (writes, id) => void writes.discard(id)),
    ),
  },
  fc.constantFrom(...PROVIDERS).chain(provider =>
    fc.constantFrom(
      step(`block ${provider}`, (writes, _, time) => {
        writes.answers.of(blockAccess(provider, time.now() + 2_500))
      }),
      step(`free ${provider}`, (writes, _, time) => writes.answers.of(unblockAccess(provider, time.now()))),
      step('hand over', (writes, id) => {
        const row = writes.db.prepare('SELECT capability FROM operations WHERE id = ?')
        if (row.get(Number(id.slice(3)))?.capability === CITIZEN) writes.hold(id, 'engine:e')
      }),
    ),
  ),
  fc
    .subarray(PROVIDERS)
    .map(providers => step(`edit to ${providers}`, (writes, id) => void writes.edit(id, { providers }))),
)

const insertion: fc.Arbitrary<Step> = fc
  .record({
    capability: fc.constantFrom(...CAPABILITIES),
    providers: fc.subarray(PROVIDERS),
    session: fc.option(fc.constantFrom(...SESSIONS)),
    dueInMs: fc.constantFrom(0, 5_000),
  })
  .map(({ capability, providers, session, dueInMs }) =>
    step(`insert ${capability} for ${providers} of ${session}, due in ${dueInMs}`, (writes, _id, time) => {
      const dueAt = time.now() + dueInMs
      writes.insert([{ capability, providers, params: 1, dueAt, ...(session ? { session } : {}) }])
    }),
  )

/** Mostly short steps forward, now and then a step back. */
const clock: fc.Arbitrary<Step> = fc
  .constantFrom(1, 1_000, 1_000, -2_500)
  .map(ms => step(`clock ${ms}`, (_writes, _id, time) => time.jump(ms)))

const some = <T>(values: readonly T[]) =>
  fc.oneof(fc.constantFrom(...values), fc.array(fc.constantFrom(...values), { maxLength: 3 }))

const START = new FakeTime().now()
const moment = fc.integer({ min: -3, max: 10 }).map(seconds => START + seconds * 1_000)

const filters: fc.Arbitrary<OperationFilter> = fc.record(
  {
    ids: fc.array(
      fc.integer({ min: 0, max: 60 }).map(number => `op_${number}`),
      { maxLength: 8 },
    ),
    state: some(OPERATION_STATES),
    capability: some([...CAPABILITIES, 'none']),
    provider: fc.constantFrom(...PROVIDERS),
    class: fc.constantFrom(...CLASSES),
    kind: fc.constantFrom(...KINDS),
    fingerprint: fc.constantFrom(...FINGERPRINTS),
    parkedFor: fc.constantFrom(...PARK_REASONS),
    session: fc.constantFrom(...SESSIONS),
    agentSession: fc.constantFrom(...SESSIONS),
    createdFrom: moment,
    createdBefore: moment,
    text: fc.constantFrom('slow', 'model over', 'nothing of it', 'down slow'),
    heldBy: fc.constantFrom(...PROVIDERS, 'engine:e'),
  },
  { requiredKeys: [] },
)
/** Most filters have one or two conditions: with more, hardly anything matches. */
const fewConditions = fc
  .tuple(filters, fc.integer({ min: 0, max: 3 }), fc.nat())
  .map(([filter, most, from]): OperationFilter => {
    const all = Object.entries(filter)
    return Object.fromEntries([...all, ...all].slice(from % Math.max(1, all.length)).slice(0, most))
  })

interface Known {
  operation: Operation
  attempts: readonly Attempt[]
}

describe('lists and counts, compared with a plain filter over everything', () => {
  it('return each matching operation once, newest first, page by page', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.oneof(insertion, insertion, clock, steps, steps, steps), fc.nat(), fc.boolean()),
          {
            minLength: 10,
            maxLength: 80,
          },
        ),
        fc.array(fewConditions, { minLength: 5, maxLength: 5 }),
        fc.integer({ min: 1, max: 7 }),
        async (changes, asked, limit) => {
          const time = new FakeTime()
          const ledger = await memoryLedger({ time })
          try {
            for (const [{ change }, which, isDisturbed] of changes) {
              const own = ledger.transaction(writes => change(writes, idOf(writes, which), time))
              const other = isDisturbed ? ledger.transaction(fails).catch(() => {}) : undefined
              await Promise.all([own, other])
            }
            const all = await everything(ledger)
            expect(await ledger.check().then(found => found.filter(isNotAboutLeases))).toEqual([])
            for (const filter of asked) {
              const expected = all.filter(known => matches(known, filter)).map(({ operation }) => operation)
              expect(await pages(ledger, filter, limit)).toEqual(expected.map(({ id }) => id))
              expect(await ledger.counts(filter)).toEqual(countsOf(expected, time.now()))
            }
          } finally {
            await ledger.close()
          }
        },
      ),
      { numRuns: Number(process.env.MODEL_RUNS ?? 40) },
    )
  })
})

/** Shares its commit with another write, which then runs a second time, alone. */
const fails = (writes: SqliteTransaction) => {
  writes.insert([{ capability: 'a', params: 1 }])
  throw new Error('this write fails')
}

/** There is no engine, so there are no leases. */
const isNotAboutLeases = ({ rule }: { rule: string }) => rule !== 'running_is_leased'

function idOf({ db }: SqliteTransaction, which: number): string {
  const rows = db.prepare('SELECT id FROM operations ORDER BY id').all() as { id: number }[]
  return `op_${rows[which % Math.max(1, rows.length)]?.id ?? 0}`
}

/** The current run of a running operation; starts one that is due. */
function runOf(writes: SqliteTransaction, id: string): number | undefined {
  const started = writes.start(id)
  if (started) return started.operation.run
  const row = writes.db.prepare('SELECT run FROM operations WHERE id = ? AND state = ?')
  return row.get(Number(id.slice(3)), 'running')?.run as number | undefined
}

async function everything(ledger: SqliteLedger): Promise<Known[]> {
  const known: Known[] = []
  for (let number = await ledger.lastEvent(); number > 0; number--) {
    const id = `op_${number}`
    const operation = await ledger.get(id)
    if (operation) known.push({ operation, attempts: await ledger.attempts(id) })
  }
  return known
}

async function pages(ledger: SqliteLedger, filter: OperationFilter, limit: number): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await ledger.list(filter, { limit, ...(cursor === undefined ? {} : { cursor }) })
    ids.push(...page.items.map(({ id }) => id))
    if (page.next === undefined) return ids
    expect(page.items).toHaveLength(limit)
    cursor = page.next
  }
}

function matches({ operation, attempts }: Known, filter: OperationFilter): boolean {
  const isOneOf = (value: string, wanted: string | readonly string[] | undefined) =>
    wanted === undefined || [wanted].flat().includes(value)
  const is = (value: string | undefined, wanted: string | undefined) =>
    wanted === undefined || value === wanted
  return (
    isOneOf(operation.id, filter.ids) &&
    isOneOf(operation.state, filter.state) &&
    isOneOf(operation.capability, filter.capability) &&
    (filter.provider === undefined || operation.providers.includes(filter.provider)) &&
    is(operation.failure?.class, filter.class) &&
    is(operation.failure?.kind, filter.kind) &&
    is(operation.failure?.fingerprint, filter.fingerprint) &&
    is(operation.state === 'parked' ? operation.parkedFor : undefined, filter.parkedFor) &&
    is(operation.session, filter.session) &&
    is(operation.agentSession, filter.agentSession) &&
    is(operation.state === 'scheduled' ? operation.heldBy : undefined, filter.heldBy) &&
    operation.createdAt >= (filter.createdFrom ?? 0) &&
    operation.createdAt < (filter.createdBefore ?? Infinity) &&
    (filter.text === undefined || attempts.some(({ failure: f }) => f && hasWords(f, filter.text as string)))
  )
}

function hasWords({ class: cls, kind, message }: Failure, text: string): boolean {
  const found = `${cls} ${kind} ${message}`.split(/[ _]/)
  const words = text.split(' ')
  const last = words.pop() as string
  return words.every(word => found.includes(word)) && found.some(word => word.startsWith(last))
}

function countsOf(operations: readonly Operation[], now: number): Counts {
  const counts: Counts = {
    total: operations.length,
    states: { scheduled: 0, running: 0, parked: 0, succeeded: 0, dead: 0 },
    parkedFor: {},
    deadAs: {},
    held: 0,
    due: 0,
  }
  for (const operation of operations) {
    counts.states[operation.state]++
    if (operation.state === 'parked')
      counts.parkedFor[operation.parkedFor] = (counts.parkedFor[operation.parkedFor] ?? 0) + 1
    else if (operation.state === 'dead')
      counts.deadAs[operation.deadAs] = (counts.deadAs[operation.deadAs] ?? 0) + 1
    else if (operation.state === 'scheduled' && operation.heldBy !== undefined) counts.held++
    else if (operation.state === 'scheduled' && operation.dueAt <= now) counts.due++
  }
  return counts
}
