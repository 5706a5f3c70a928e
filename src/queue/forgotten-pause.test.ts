import { afterEach, expect, it } from 'vitest'
import { FakeTime } from '../testing/fake-time.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { testQueue } from '../testing/test-queue.ts'
import type { OpenedQueue } from './open.ts'

const MINUTE = 60_000
let queue: OpenedQueue
let time: FakeTime
afterEach(() => time.until(queue.close()))

const start = async () => {
  time = new FakeTime()
  const { capability, script } = scriptedCapability({ name: 'work', provider: 'vendor' })
  ;({ queue } = await testQueue({ time, capabilities: [capability] }))
  return script
}

it('a pause whose process was killed before the engine heard of it holds all the same', async () => {
  const script = await start()
  await queue.health.pause('vendor')
  await queue.runner().start()
  await queue.submit('work')
  await time.advance(5 * MINUTE)
  expect(script.tries).toHaveLength(0)
})

it('an end of a pause whose process was killed before the engine heard of it holds nothing for ever', async () => {
  const script = await start()
  await queue.pause({ provider: 'vendor' })
  await queue.submit('work')
  await queue.runner().start()
  await time.advance(5 * MINUTE)
  expect(script.tries).toHaveLength(0)
  await queue.health.resume('vendor')
  await time.advance(5 * MINUTE)
  expect(script.tries).toHaveLength(1)
  expect(await queue.engine.pauses()).toMatchObject({ providers: [] })
})
