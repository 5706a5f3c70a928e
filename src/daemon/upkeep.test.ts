import { expect, it, vi } from 'vitest'
import { readConfig } from '../config/read.ts'
import { NodeHealth } from '../process/node-health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { testQueue } from '../testing/test-queue.ts'
import { upkeep } from './upkeep.ts'

it('deletes old history soon after the start, because a daemon may never live for an hour', async () => {
  const time = new FakeTime()
  const { queue } = await testQueue({ time, capabilities: [scriptedCapability({ name: 'work' }).capability] })
  const { id } = await queue.submit('work')
  await queue.cancel(id)
  await time.advance(365 * 86_400_000)
  const stop = new AbortController()
  const kept = {
    loaded: readConfig('', undefined).trust(),
    health: new NodeHealth({ time }),
    queue,
    stop,
  }
  const log = {
    debug() {},
    info() {},
    warn() {},
    error: (problem: unknown) => expect(problem).toBeUndefined(),
  }
  const ended = upkeep(kept, { time, log: log as never, clock: { look: () => undefined } as never })
  const prune = vi.spyOn(queue, 'prune')
  await time.advance(300_000)
  expect(await queue.ledger.get(id)).toBeUndefined()
  // And then every hour.
  expect(prune).toHaveBeenCalledTimes(1)
  await time.advance(3_600_000)
  expect(prune).toHaveBeenCalledTimes(2)
  stop.abort()
  await ended
  await queue.close()
})
