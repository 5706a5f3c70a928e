import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { closeChecked } from '../../test/work.ts'
import type { Capability } from '../capability/capability.ts'
import { defineCapability } from '../capability/define.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import type { OpenedQueue } from '../queue/open.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { testQueue } from '../testing/test-queue.ts'
import { collectUnknowns } from './collect.ts'
import { UnknownCollector } from './collector.ts'

let time: FakeTime
let queue: OpenedQueue
const work = defineCapability({
  name: 'work',
  params: z.object({ n: z.number() }),
  retry: 'replay',
  pool: 'both',
  run: ({ n }: { n: number }) => {
    throw new Error(`job ${n}: the flux capacitor is detuned`)
  },
} as never) as Capability
const once = defineCapability({
  name: 'once',
  params: z.object({ n: z.number() }),
  retry: 'none',
  run: ({ n }: { n: number }) => {
    throw new Error(`job ${n}: the flux capacitor is detuned`)
  },
} as never) as Capability
const program = defineCapability({
  name: 'program',
  params: z.object({ n: z.number() }),
  retry: 'none',
  run: () => {
    throw Object.assign(new Error('Command failed with exit code 3'), { exitCode: 3, stdout: '', stderr: '' })
  },
} as never) as Capability

beforeEach(async () => {
  time = new FakeTime()
  const health = new Health({ providers: [{ id: 'a' }, { id: 'b' }], time, random: () => 0 })
  ;({ queue } = await testQueue({
    time,
    capabilities: [work, once, program],
    health,
    pools: new Map([['both', ['a', 'b']]]),
  }))
  await queue.runner().start()
})
afterEach(() => closeChecked(queue))

const failed = async (count: number) => {
  await queue.submitMany(Array.from({ length: count }, (_, n) => ({ capability: 'work', params: { n } })))
  await time.advance(1_000)
}
const seen = async () =>
  (await queue.ledger.unknowns()).items.map(({ provider, count, outcomes }) => ({
    provider,
    count,
    ...outcomes,
  }))

describe('unknown failures', () => {
  it('are counted once per provider, whether they failed over or were parked', async () => {
    await failed(2)
    expect(await collectUnknowns(queue.ledger)).toBe(4)
    expect(await seen()).toEqual([
      { provider: 'b', count: 2, parked: 2, failover: 0, ended: 0 },
      { provider: 'a', count: 2, parked: 0, failover: 2, ended: 0 },
    ])
    const [unknown] = (await queue.ledger.unknowns()).items
    expect(unknown?.samples.length).toBeGreaterThan(0)
    expect(await collectUnknowns(queue.ledger)).toBe(0)
  })

  it('of programs that only say that they failed are not asked about where they end the work', async () => {
    await queue.submitMany([{ capability: 'program', params: { n: 1 } }])
    await time.advance(1_000)
    expect(await queue.ledger.list({ kind: 'command_failed' })).toMatchObject({ items: [{ state: 'dead' }] })
    expect(await collectUnknowns(queue.ledger)).toBe(0)
  })

  it('of work that may not run again end it at once, say so, and are counted all the same', async () => {
    const [{ id } = { id: '' }] = await queue.submitMany([{ capability: 'once', params: { n: 1 } }])
    await time.advance(1_000)
    expect(await queue.ledger.get(id)).toMatchObject({
      state: 'dead',
      deadAs: 'unverifiable',
      reason: expect.stringContaining('may have taken effect'),
    })
    expect(await collectUnknowns(queue.ledger)).toBe(1)
    expect(await seen()).toMatchObject([{ count: 1, parked: 0, ended: 1 }])
  })

  it('are counted once, however many processes collect at the same time', async () => {
    await failed(3)
    const counted = await Promise.all([1, 2, 3].map(() => collectUnknowns(queue.ledger)))
    expect(counted.reduce((sum, count) => sum + count)).toBe(6)
    expect((await seen()).map(({ count }) => count)).toEqual([3, 3])
  })

  it('are collected as they come, until the collector is closed', async () => {
    const errors: unknown[] = []
    const collector = new UnknownCollector({
      ledger: queue.ledger,
      time,
      onError: error => errors.push(error),
    })
    await collector.start()
    await failed(1)
    await time.advance(5_000)
    expect(collector.collected).toBe(2)
    await collector.close()
    expect(await seen()).toHaveLength(2)
    await failed(1)
    await time.advance(5_000)
    expect((await seen()).map(({ count }) => count)).toEqual([1, 1])
    expect(errors).toEqual([])
  })
})
