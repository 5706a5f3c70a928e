import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { closeChecked } from '../../test/work.ts'
import type { Capability } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import type { OpenedQueue } from '../queue/open.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import { collectUnknowns } from '../unknown/collect.ts'
import { Unknowns } from '../unknown/unknowns.ts'
import { NoticeMaker } from './notice-maker.ts'

const COUNT = 50
const HOUR = 3_600_000

let time: FakeTime
let queue: OpenedQueue
let maker: NoticeMaker
/** Whether the provider fails with an unknown message. */
let isBroken: boolean

const work = defineCapability({
  name: 'work',
  params: z.object({ n: z.number() }),
  retry: 'replay',
  provider: 'a',
  run: ({ n }: { n: number }) => {
    if (isBroken) throw new Error(`unit ${n}: the flux capacitor is detuned`)
    return n
  },
} as never) as Capability

beforeEach(async () => {
  time = new FakeTime()
  isBroken = true
  const health = new Health({ providers: [{ id: 'a' }], time, random: () => 0 })
  ;({ queue } = await testQueue({ time, capabilities: [work], health }))
  maker = new NoticeMaker({ ledger: queue.ledger, time })
  await queue.runner({ concurrency: 4 }).start()
  await queue.submitMany(Array.from({ length: COUNT }, (_, n) => ({ capability: 'work', params: { n } })))
})
afterEach(async () => {
  await maker.stop()
  await closeChecked(queue)
})

const tell = async () => {
  await collectUnknowns(queue.ledger)
  await maker.catchUp()
  return (await queue.ledger.notices({ type: ['unknown'], expired: true })).items
}
const standing = async () => {
  const { items } = await queue.ledger.list({}, { limit: COUNT })
  return {
    parked: items.filter(({ state }) => state === 'parked').length,
    held: items.filter(operation => operation.state === 'scheduled' && operation.heldBy === 'a').length,
  }
}

describe('fifty operations of one provider that fail with an unknown message', () => {
  it('are escalated once, and all succeed after one label, including those held by the breaker', async () => {
    await time.advance(1_000)
    const { parked, held } = await standing()
    // Unknown failures count half, so ten of them open the breaker; operations it holds are never parked.
    expect(parked).toBeGreaterThanOrEqual(10)
    expect(held).toBe(COUNT - parked)
    expect(held).toBeGreaterThan(0)
    const [notice, ...others] = await tell()
    expect(others).toEqual([])
    isBroken = false
    const fingerprint = notice?.fingerprint as string
    const { backtest } = await new Unknowns(queue.ledger).label(fingerprint, {
      class: 'transient',
      who: 'ann',
    })
    expect(backtest.flips).toBe(0)
    await time.advance(HOUR)
    expect((await queue.ledger.counts({})).states.succeeded).toBe(COUNT)
    expect(await tell()).toHaveLength(1)
  })

  it('are asked about again when the label is withdrawn, and only then', async () => {
    await time.advance(1_000)
    const unknowns = new Unknowns(queue.ledger)
    const [first] = await tell()
    const fingerprint = first?.fingerprint as string
    await unknowns.label(fingerprint, { class: 'transient', who: 'ann' })
    expect(await tell()).toMatchObject([{ resolution: 'labelled by ann' }])
    await unknowns.withdraw(fingerprint, 'bob')
    const [again, before, ...others] = await tell()
    expect(others).toEqual([])
    expect(before).toMatchObject({ id: first?.id, resolution: 'labelled by ann' })
    expect(again).toMatchObject({ title: first?.title, fingerprint })
    expect(again?.resolvedAt).toBeUndefined()
    expect(again?.body).toMatch(/^Its label was withdrawn by bob\.\n/)
    // What comes next updates the open one, and a new label resolves it.
    await time.advance(12 * HOUR)
    expect(await tell()).toHaveLength(2)
    await unknowns.label(fingerprint, { class: 'transient', who: 'ann' })
    expect((await tell()).map(({ resolution }) => resolution)).toEqual(['labelled by ann', 'labelled by ann'])
  })

  it('are escalated once even if probes of the breaker fail for hours', async () => {
    await time.advance(12 * HOUR)
    expect(await standing()).toEqual({ parked: COUNT, held: 0 })
    const told = await tell()
    expect(told).toHaveLength(1)
    await new Unknowns(queue.ledger).label(told[0]?.fingerprint as string, {
      class: 'throttle',
      retryAfterMs: HOUR,
      who: 'ann',
    })
    await time.advance(5_000)
    const { items } = await queue.ledger.list({}, { limit: COUNT })
    for (const operation of items) expect(operation).toMatchObject({ state: 'scheduled', snoozes: 1 })
    isBroken = false
    await time.advance(2 * HOUR)
    expect((await queue.ledger.counts({})).states.succeeded).toBe(COUNT)
  })
})
