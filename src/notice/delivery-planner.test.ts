import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../config/read.ts'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { DeliveryPlanner } from './delivery-planner.ts'
import { PlannedElsewhere } from './planned-elsewhere.ts'

const [surface] = readConfig(
  '[[surface]]\nname = "hook"\nkind = "webhook"\nurl = "http://127.0.0.1:9/"\ngather = "0s"\n',
  undefined,
).trust().config.surfaces

const time = new FakeTime()
let ledger: Awaited<ReturnType<typeof memoryLedger>>
beforeEach(async () => {
  ledger = await memoryLedger({ time })
})
afterEach(async () => {
  expect(await ledger.check()).toEqual([])
  await ledger.close()
})

const planner = () =>
  new DeliveryPlanner(surface as SurfaceConfig, { ledger, time, engine: { wake: async () => {} } as never })

describe('two processes that plan at once', () => {
  it('submit one message, and the second of them reports that', async () => {
    const planners = [planner(), planner()]
    // A new surface starts with the notices made from now on.
    for (const each of planners) await each.plan()
    await ledger.transaction(writes =>
      writes.addNotice({
        key: 'down:p',
        type: 'down',
        priority: 'normal',
        disposition: 'information',
        title: 'p is down',
        body: '',
        expiresAt: time.now() + 60_000,
      }),
    )
    const ends = await Promise.allSettled(planners.map(each => each.plan()))
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const refused = ends.find(end => end.status === 'rejected')
    expect(refused?.reason).toBeInstanceOf(PlannedElsewhere)
    expect((await ledger.list({ capability: 'notice:hook' })).items).toHaveLength(1)
    expect((await ledger.deliveries({})).items).toHaveLength(1)
    await Promise.all(planners.map(each => each.plan()))
    expect((await ledger.list({ capability: 'notice:hook' })).items).toHaveLength(1)
  })
})
