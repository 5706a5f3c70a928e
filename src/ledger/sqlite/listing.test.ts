import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampled } from '../../../test/sampled.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { present } from '../../failure/present.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { CANCEL_REASONS, PARK_REASONS } from '../../verdict/verdict.ts'
import type { OperationFilter } from '../filter.ts'
import { OPERATION_STATES, type Operation } from '../operation.ts'
import { blockAccess } from '../record/provider-access.ts'
import { openLedger, type SqliteLedger } from './sqlite-ledger.ts'

const CAPABILITIES = ['mail', 'pay', 'ask']
const PROVIDERS = ['claude', 'codex', 'gemini']
const FAILURES = ['429 Too Many Requests', 'socket hang up', 'invalid x-api-key', 'frobnicator jammed'].map(
  text => classify(text, { provider: 'claude' }) as Failure,
)
const WORDS = ['alpha', 'beta', 'gamma', 'alphabet']

let ledger: SqliteLedger
let all: readonly Operation[]
/** The failure texts of each operation. */
const texts = new Map<string, string[]>()
const time = new FakeTime()

/** A ledger with a bit of everything, some of it several times. The same each time. */
beforeAll(async () => {
  ledger = await openLedger({ file: ':memory:', time })
  let seed = 7
  const pick = <T>(list: readonly T[]): T => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return list[Math.floor((seed / 2 ** 31) * list.length)] as T
  }
  for (let n = 0; n < 400; n++) {
    // The clock goes back once.
    if (n === 250) time.jump(-100_000)
    await time.advance(pick([0, 500, 2_000]))
    await ledger.transaction(writes => {
      const providers = pick([[], ['claude'], ['codex'], ['claude', 'gemini'], PROVIDERS])
      const session = pick([undefined, undefined, 's-1', 's-2'])
      const [inserted] = writes.insert([
        {
          capability: pick(CAPABILITIES),
          params: n,
          providers,
          dueAt: time.now() + pick([-1_000, 1_000_000]),
          ...present({ session }),
        },
      ])
      const id = inserted?.id as string
      const fate = pick([
        'wait',
        'hold',
        'park',
        'run',
        'fail',
        'fail',
        'die',
        'die',
        'succeed',
        'succeed',
        'succeed',
      ])
      if (fate === 'hold') writes.hold(id, 'engine:e')
      if (fate === 'park') writes.park(id, { for: pick(PARK_REASONS), reason: 'why' })
      if (['wait', 'hold', 'park'].includes(fate)) return
      const run = writes.start(id)?.operation.run as number
      if (fate === 'run') return
      const message = `${pick(FAILURES).message} ${pick(WORDS)} ${pick(WORDS)}`
      const failure =
        fate === 'succeed' && pick([true, false]) ? undefined : { ...pick(FAILURES), message, text: message }
      const sessionId = pick([undefined, 'a-1', 'a-2'])
      const attempt = { startedAt: 0, endedAt: 0, ...present({ sessionId }) }
      if (failure) {
        writes.append({ id, run }, { ...attempt, failure })
        texts.set(id, [message])
      }
      const reason = { reason: 'why', rule: 'test' }
      if (fate === 'succeed') writes.settle({ id, run }, { succeeded: true, attempt })
      else if (fate === 'die')
        writes.settle({ id, run }, { attempt, verdict: { action: 'cancel', as: 'refused', ...reason } })
      else
        writes.settle(
          { id, run },
          { attempt, verdict: { action: 'retry', delayMs: 5, mode: 'again', ...reason } },
        )
    })
  }
  await ledger.transaction(({ answers }) => {
    // Those of a pool wait for the one that is free first.
    answers.of(blockAccess('claude', time.now() + 60_000))
    answers.of(blockAccess('gemini', time.now() + 30_000))
  })
  all = (await ledger.list({}, { limit: 1_000 })).items
})
afterAll(() => ledger.close())

/** Whether an operation matches, by checking it directly. */
function fits(operation: Operation, filter: OperationFilter): boolean {
  const any = <T extends string>(wanted: T | readonly T[] | undefined, has: T) =>
    wanted === undefined || [wanted].flat().includes(has)
  const same = (wanted: unknown, has: unknown) => wanted === undefined || wanted === has
  const words = filter.text?.split(' ') ?? []
  const isSaid = (texts.get(operation.id) ?? []).some(text =>
    words.every((word, index) =>
      text.split(/\W+/).some(said => (index === words.length - 1 ? said.startsWith(word) : said === word)),
    ),
  )
  return (
    (filter.ids === undefined || filter.ids.includes(operation.id)) &&
    any(filter.state, operation.state) &&
    any(filter.capability, operation.capability) &&
    (filter.provider === undefined || operation.providers.includes(filter.provider)) &&
    same(filter.class, operation.failure?.class) &&
    same(filter.kind, operation.failure?.kind) &&
    same(filter.fingerprint, operation.failure?.fingerprint) &&
    same(filter.parkedFor, operation.state === 'parked' ? operation.parkedFor : null) &&
    same(filter.heldBy, operation.state === 'scheduled' ? operation.heldBy : null) &&
    same(filter.session, operation.session) &&
    same(filter.agentSession, operation.agentSession) &&
    operation.createdAt >= (filter.createdFrom ?? 0) &&
    operation.createdAt < (filter.createdBefore ?? Infinity) &&
    (filter.text === undefined || isSaid)
  )
}

const oneOrMore = <T extends string>(values: readonly T[]) =>
  fc.oneof(fc.constantFrom(...values), fc.array(fc.constantFrom(...values), { maxLength: 3 }))
const moment = fc.integer({ min: -120_000, max: 500_000 }).map(ms => Date.UTC(2026, 0, 1) + ms)
const anyFilter: fc.Arbitrary<OperationFilter> = fc.record(
  {
    ids: fc.array(
      fc.integer({ min: 0, max: 410 }).map(n => `op_${n}`),
      { maxLength: 30 },
    ),
    state: oneOrMore(OPERATION_STATES),
    capability: oneOrMore([...CAPABILITIES, 'none']),
    provider: fc.constantFrom(...PROVIDERS, 'none'),
    class: fc.constantFrom(...FAILURES.map(failure => failure.class)),
    kind: fc.constantFrom(...FAILURES.map(({ kind }) => kind)),
    fingerprint: fc.constantFrom(...FAILURES.map(({ fingerprint }) => fingerprint)),
    parkedFor: fc.constantFrom(...PARK_REASONS),
    heldBy: fc.constantFrom(...PROVIDERS, 'engine:e'),
    session: fc.constantFrom('s-1', 's-2', 's-3'),
    agentSession: fc.constantFrom('a-1', 'a-2'),
    createdFrom: moment,
    createdBefore: moment,
    text: fc.constantFrom('alpha', 'alph', 'beta gamma', 'alpha alphabet', 'none'),
  },
  { requiredKeys: [] },
)
/** All conditions together match nothing: keep only a few of them. */
const filters = fc.tuple(anyFilter, fc.integer({ min: 0, max: 4 }), fc.nat()).map(([filter, keep, turn]) => {
  const entries = Object.entries(filter)
  const from = entries.length === 0 ? 0 : turn % entries.length
  return Object.fromEntries(
    [...entries.slice(from), ...entries.slice(0, from)].slice(0, keep),
  ) as OperationFilter
})

describe('the result of a filter', () => {
  it('is the same as checking every operation, newest first, on every page', async () => {
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 60 }), async (filter, limit) => {
        const expected = all.filter(operation => fits(operation, filter)).map(({ id }) => id)
        const found: string[] = []
        let cursor: string | undefined
        do {
          const page = await ledger.list(filter, { limit, ...present({ cursor }) })
          expect(page.items.length).toBeLessThanOrEqual(limit)
          found.push(...page.items.map(({ id }) => id))
          cursor = page.next
        } while (cursor !== undefined)
        expect(found).toEqual(expected)
      }),
      { numRuns: sampled(400) },
    )
  })

  it('has counts that match the list', async () => {
    await fc.assert(
      fc.asyncProperty(filters, async filter => {
        const those = all.filter(operation => fits(operation, filter))
        const inState = (state: string) => those.filter(operation => operation.state === state).length
        const held = those.filter(
          operation => operation.state === 'scheduled' && operation.heldBy !== undefined,
        )
        const due = those.filter(
          operation =>
            operation.state === 'scheduled' &&
            operation.heldBy === undefined &&
            operation.dueAt <= time.now(),
        )
        const parked = PARK_REASONS.map(reason => [
          reason,
          those.filter(operation => operation.state === 'parked' && operation.parkedFor === reason).length,
        ]).filter(([, count]) => (count as number) > 0)
        const dead = CANCEL_REASONS.map(reason => [
          reason,
          those.filter(operation => operation.state === 'dead' && operation.deadAs === reason).length,
        ]).filter(([, count]) => (count as number) > 0)
        expect(await ledger.counts(filter)).toEqual({
          total: those.length,
          states: Object.fromEntries(OPERATION_STATES.map(state => [state, inState(state)])),
          parkedFor: Object.fromEntries(parked),
          deadAs: Object.fromEntries(dead),
          held: held.length,
          due: due.length,
        })
      }),
      { numRuns: sampled(400) },
    )
  })
})
