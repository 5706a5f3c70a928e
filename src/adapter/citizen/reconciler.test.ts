import { afterEach, beforeEach, expect, it } from 'vitest'
import { EmbeddedEngine } from '../../engine/embedded/embedded-engine.ts'
import { citizenCapability } from '../../ledger/citizen.ts'
import { openLedger, type SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import type { EngineDesk, StateInEngine } from './desk.ts'
import { Reconciler } from './reconciler.ts'

const CAPABILITY = citizenCapability('mine', 'q')
let time: FakeTime
let ledger: SqliteLedger
let engine: EmbeddedEngine
let found: StateInEngine
let asked: string[]
const errors: unknown[] = []

beforeEach(async () => {
  time = new FakeTime()
  ledger = await openLedger({ file: ':memory:', time })
  engine = new EmbeddedEngine({ ledger })
  found = { state: 'waiting' }
  asked = []
})
afterEach(async () => {
  expect(await ledger.check()).toEqual([])
  await engine.close()
  await ledger.close()
  expect(errors.splice(0)).toEqual([])
})

const desk: EngineDesk = {
  engine: 'mine',
  queue: 'q',
  resume: async () => true,
  cancel: async () => true,
  state: async jobId => {
    asked.push(jobId)
    return found
  },
}
const reconciler = (by: EngineDesk = desk) =>
  new Reconciler({ ledger, engine, time, random: () => 0.5 }, by, error => errors.push(error))
/** A job that failed once, and is due in a minute. */
const waiting = async () => {
  const verdict = { action: 'retry', delayMs: 60_000, mode: 'again', reason: 'r', rule: 'r' } as const
  const reported = await engine.report({
    operation: { capability: CAPABILITY, params: {}, key: '7', context: { job_id: '7' } },
    settlement: { verdict },
  })
  return reported?.id as string
}

it.each([
  [
    { state: 'done', value: { answer: 42 } },
    { state: 'succeeded', result: { answer: 42 } },
  ],
  [
    { state: 'failed', reason: 'job stalled' },
    { state: 'dead', deadAs: 'exhausted', reason: 'it failed in mine: job stalled' },
  ],
  [{ state: 'gone' }, { state: 'dead', deadAs: 'unverifiable' }],
  [{ state: 'waiting' }, { state: 'scheduled', heldBy: 'engine:mine' }],
] as const)('a job whose end nobody reported is %o in its engine', async (state, expected) => {
  const id = await waiting()
  found = state
  await time.advance(120_001)
  await reconciler().look()
  expect(await ledger.get(id)).toMatchObject(expected)
  expect(asked).toEqual(['7'])
})

it('asks for no job that is not late', async () => {
  await waiting()
  found = { state: 'gone' }
  await time.advance(119_000)
  await reconciler().look()
  expect(asked).toEqual([])
})

it('leaves a job alone that is reported while its engine answers', async () => {
  const id = await waiting()
  await time.advance(120_001)
  const verdict = { action: 'cancel', as: 'refused', reason: 'no', rule: 'r' } as const
  const slow: EngineDesk = {
    ...desk,
    state: async () => {
      await engine.report({ id, operation: { capability: CAPABILITY, params: {} }, settlement: { verdict } })
      return { state: 'failed', reason: 'no' }
    },
  }
  await reconciler(slow).look()
  expect(await ledger.get(id)).toMatchObject({ state: 'dead', deadAs: 'refused', run: 2 })
})

it('looks about once a minute until it is stopped', async () => {
  await waiting()
  const own = reconciler()
  own.start()
  await time.advance(300_000)
  expect(asked.length).toBeGreaterThan(1)
  await own.stop()
  const before = asked.length
  await time.advance(300_000)
  expect(asked).toHaveLength(before)
})
