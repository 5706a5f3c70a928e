import { afterEach, beforeEach, expect, it } from 'vitest'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { type ScriptedOptions, scriptedCapability } from '../testing/scripted.ts'
import { testQueue } from '../testing/test-queue.ts'
import type { OpenedQueue } from './open.ts'
import { Queue } from './queue.ts'

const HOUR = 3_600_000
const time = new FakeTime()
let ledger: Awaited<ReturnType<typeof memoryLedger>>
let open: OpenedQueue[]

beforeEach(async () => {
  ledger = await memoryLedger({ time })
  open = []
})
afterEach(async () => {
  for (const queue of open) await stop(queue)
  await ledger.close()
})
const stop = async (queue: OpenedQueue) => {
  open = open.filter(one => one !== queue)
  await time.until(Queue.prototype.close.call(queue))
  await queue.engine.close()
}
/** A process with a runner, whose queue is enabled or not. */
const start = async (enabled: boolean, work: Omit<ScriptedOptions, 'name'> = {}) => {
  const { capability, script } = scriptedCapability({ name: 'work', ...work })
  const { queue } = await testQueue({
    time,
    ledger,
    enabled,
    capabilities: [capability],
    runnerId: `r${enabled}`,
  })
  open.push(queue)
  await queue.runner().start()
  return { queue, script }
}

it('a disabled queue makes one try of what is submitted, and no second', async () => {
  const { queue, script } = await start(false, {
    script: [{ fails: { kind: 'server_error', effect: 'none' } }],
  })
  await queue.submit('work')
  await time.advance(2 * HOUR)
  expect(script.tries).toHaveLength(1)
  expect(await ledger.get('op_1')).toMatchObject({
    state: 'dead',
    deadAs: 'exhausted',
    reason: expect.stringContaining('[queue] enabled = false'),
  })
})

it('a disabled queue does not wait out a limit either', async () => {
  const { queue, script } = await start(false, {
    script: [{ fails: { kind: 'usage_limit', effect: 'none', resetAt: time.now() + HOUR } }],
  })
  await queue.submit('work')
  await time.advance(2 * HOUR)
  expect([script.tries.length, (await ledger.get('op_1'))?.state]).toEqual([1, 'dead'])
})

it('a disabled queue leaves the retries of an enabled one alone, and loses none', async () => {
  const fails = { fails: { kind: 'server_error', effect: 'none' } } as const
  const first = await start(true, { script: [fails] })
  await first.queue.submit('work')
  await time.advance(1_000)
  await stop(first.queue)
  const off = await start(false)
  await time.advance(2 * HOUR)
  expect(off.script.tries).toHaveLength(0)
  expect(await ledger.get('op_1')).toMatchObject({
    state: 'scheduled',
    reason: 'it is not retried while [queue] enabled = false',
  })
  await stop(off.queue)
  const again = await start(true)
  await time.advance(2 * HOUR)
  expect(again.script.tries).toHaveLength(1)
  expect(await ledger.get('op_1')).toMatchObject({ state: 'succeeded' })
})

it('a disabled queue returns what it was running when it stops', async () => {
  const off = await start(false, { script: [{ hangs: true }] })
  await off.queue.submit('work')
  await time.advance(1_000)
  await stop(off.queue)
  expect(await ledger.get('op_1')).toMatchObject({ state: 'scheduled' })
})
