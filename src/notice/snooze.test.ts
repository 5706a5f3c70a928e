import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../config/read.ts'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import type { NewNotice } from '../ledger/notice.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { DeliveryPlanner } from './delivery-planner.ts'
import { SnoozeEnds, snoozeNotices } from './snooze.ts'

const HOUR = 3_600_000
const surfaces = (more = '') =>
  readConfig(
    `[[surface]]\nname = "hook"\nkind = "webhook"\nurl = "http://127.0.0.1:9/"\ngather = "0s"\n${more}`,
    undefined,
  ).trust().config.surfaces

let time: FakeTime
let ledger: Awaited<ReturnType<typeof memoryLedger>>
beforeEach(async () => {
  time = new FakeTime(Date.parse('2026-01-10T20:00:00Z'))
  ledger = await memoryLedger({ time })
})
afterEach(() => ledger.close())

const engine = { wake: async () => {} } as never
const planner = (more?: string) =>
  new DeliveryPlanner(surfaces(more)[0] as SurfaceConfig, { ledger, time, engine })
const ends = (more?: string) => new SnoozeEnds(surfaces(more), { ledger, time, engine })
const add = (key: string, more: Partial<NewNotice> = {}) =>
  ledger.transaction(writes =>
    writes.addNotice({
      key,
      type: 'dead',
      priority: 'high',
      disposition: 'actionable',
      title: `${key} is dead`,
      body: '',
      expiresAt: time.now() + 72 * HOUR,
      ...more,
    }),
  )
const messages = async () =>
  (await ledger.list({ capability: 'notice:hook' })).items.toReversed().map(operation => ({
    notices: (operation.params as { notices: string[] }).notices,
    dueAt: operation.state === 'scheduled' ? operation.dueAt : 0,
  }))
const arrived = async () => {
  for (const { id } of (await ledger.deliveries({ state: 'pending' })).items)
    await ledger.transaction(writes => writes.settleDelivery(id, { delivered: true, reference: 'message 1' }))
}

describe('a snooze that is over', () => {
  it('sends what is still open once more, in one message per cause, once', async () => {
    await planner().plan()
    const a = await add('a', { cause: 'database down' })
    const b = await add('b', { cause: 'database down' })
    const read = await add('c')
    const resolved = await add('d', { provider: 'p' })
    await planner().plan()
    await arrived()
    const before = (await messages()).length
    const all = [a.id, b.id, read.id, resolved.id]
    expect(await snoozeNotices(ledger, all, time.now() + HOUR)).toBe(4)
    expect(await ends().plan()).toBe(time.now() + HOUR)
    await ledger.transaction(writes => writes.readNotices([read.id], 'ann'))
    await ledger.transaction(writes => writes.resolveNotices({ types: ['dead'], provider: 'p' }, 'it works'))
    expect(await messages()).toHaveLength(before)
    await time.advance(HOUR)
    await Promise.all([ends().plan(), ends().plan()])
    await ends().plan()
    expect((await messages()).slice(before).map(({ notices }) => notices.toSorted())).toEqual([
      [a.id, b.id].toSorted(),
    ])
    expect(await ends().plan()).toBeUndefined()
  })

  it('waits for the end of quiet hours, and says nothing to a surface that never had it', async () => {
    const quiet = 'quiet = "21:00-07:00"\n'
    await planner(quiet).plan()
    const told = await add('told')
    await planner(quiet).plan()
    await arrived()
    const untold = await add('untold')
    await snoozeNotices(ledger, [told.id, untold.id], time.now() + 2 * HOUR)
    await time.advance(2 * HOUR)
    await ends(quiet).plan()
    const [, reminder, ...more] = await messages()
    expect(reminder?.notices).toEqual([told.id])
    expect(reminder?.dueAt).toBeGreaterThan(time.now())
    expect(more).toEqual([])
  })
})

describe('quiet hours of a surface', () => {
  it('hold messages back until they are over, but not urgent ones, nor what is resolved by then', async () => {
    const quiet = 'quiet = "21:00-07:00"\n'
    await planner(quiet).plan()
    await time.advance(2 * HOUR)
    const held = await add('held')
    await add('gone', { provider: 'p' })
    const urgent = await add('urgent', { priority: 'urgent' })
    const next = await planner(quiet).plan()
    expect(next).toBeGreaterThan(time.now())
    expect((await messages()).map(({ notices }) => notices)).toEqual([[urgent.id]])
    await ledger.transaction(writes => writes.resolveNotices({ types: ['dead'], provider: 'p' }, 'it works'))
    await planner(quiet).plan()
    expect(await messages()).toHaveLength(1)
    await time.advance(9 * HOUR)
    expect(await planner(quiet).plan()).toBeUndefined()
    expect((await messages()).map(({ notices }) => notices)).toEqual([[urgent.id], [held.id]])
    await planner(quiet).plan()
    expect(await messages()).toHaveLength(2)
  })
})
