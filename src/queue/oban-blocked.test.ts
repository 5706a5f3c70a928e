import { expect, it } from 'vitest'
import { z } from 'zod'
import { eachTest, ended, make, now, queue, time } from '../../test/work.ts'
import { call } from '../call/call.ts'
import { defineCapability } from '../capability/define.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import { failureOfKind } from '../testing/core/scripted-failure.ts'
import { oban, obanSnooze } from '../verdict/presets/oban.ts'

const HOUR = 3_600_000

eachTest()

it.each(
  [oban, obanSnooze].flatMap(policy => [
    { policy, name: policy.name, of: 'its provider' as const },
    { policy, name: policy.name, of: 'the provider of a call inside it' as const },
  ]),
)(
  'an operation with the policy $name waits until the block of $of ends, and is tried once, then',
  async ({ policy, of }) => {
    const health = new Health({ providers: [{ id: 'a' }], time, random: () => 0 })
    const triedAt: number[] = []
    const ask = () => triedAt.push(time.now())
    let runs = 0
    const job = defineCapability({
      name: 'job',
      params: z.object({}),
      retry: 'replay',
      policy,
      maxRetries: 1,
      ...(of === 'its provider' ? { provider: 'a' } : {}),
      run: async () => {
        runs++
        return of === 'its provider'
          ? { value: ask() }
          : call(async () => ask(), { provider: 'a', health, policy, time })
      },
    })
    await make({}, { health, with: [job as never] })
    const until = time.now() + 2 * HOUR
    const limit = failureOfKind({ kind: 'usage_limit', resetAt: until })
    ;(await health.madeElsewhere('a')).failed(limit, { breaker: 'none', blockUntil: until })
    const told = await time.until(queue.run('job', {}))
    expect(told).toMatchObject({ queuedForRetry: true, retryAt: until })
    await queue.runner().start()
    await time.advance(HOUR)
    expect(await now(told.operationId)).toMatchObject({ state: 'scheduled', dueAt: until, retries: 0 })
    expect(await ended(told.operationId)).toMatchObject({ state: 'succeeded' })
    expect(triedAt).toHaveLength(1)
    expect(triedAt[0]).toBeGreaterThanOrEqual(until)
    expect(runs).toBe(of === 'its provider' ? 1 : 2)
  },
)
