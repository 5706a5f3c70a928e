import { afterEach, beforeEach, expect, it } from 'vitest'
import { closeChecked } from '../../test/work.ts'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { scriptedCapability } from '../testing/scripted.ts'
import { testQueue } from '../testing/test-queue.ts'
import type { HealthMark } from '../verdict/policy.ts'
import type { OpenedQueue } from './open.ts'

let time: FakeTime
let queue: OpenedQueue
beforeEach(async () => {
  time = new FakeTime()
  ;({ queue } = await testQueue({ time, capabilities: [scriptedCapability({ name: 'work' }).capability] }))
})
afterEach(() => closeChecked(queue))

/** The state of an operation of a provider that no config and no capability names, after a runner has had time for it. */
const afterStart = async (provider: string) => {
  const { id } = await queue.submit('work', {}, { providers: [provider] })
  await queue.runner().start()
  await time.advance(5_000)
  return queue.ledger.get(id)
}

it('a block that ended just before its process died holds nothing once a runner starts', async () => {
  await queue.engine.block('p', 'cleared')
  expect(await afterStart('p')).toMatchObject({ state: 'succeeded' })
})

it('a block with an end that was cleared just before its process died holds nothing once a runner starts', async () => {
  await queue.engine.block('p', time.now() + 5 * 86_400_000)
  expect(await afterStart('p')).toMatchObject({ state: 'succeeded' })
})

it('a block that health still has holds work after a start', async () => {
  const spent = classify(new Error('Your credit balance is too low'), { provider: 'p' }) as Failure
  const permit = await queue.health.madeElsewhere('p', { startedAt: time.now() })
  permit.failed(spent, { breaker: 'none', blockUntil: 'cleared' })
  await queue.engine.block('p', 'cleared')
  expect(await afterStart('p')).toMatchObject({ state: 'scheduled', heldBy: 'p' })
})

it('a block that another process ended for the engine and not in health is told again, although its end is the same', async () => {
  const spent = classify(new Error('Your credit balance is too low'), { provider: 'p' }) as Failure
  const permit = await queue.health.madeElsewhere('p', { startedAt: time.now() })
  permit.failed(spent, { breaker: 'none', blockUntil: 'cleared' })
  await queue.runner().start()
  await time.advance(1_000)
  expect([...(await queue.engine.blocks())]).toEqual([['p', 'cleared']])
  await queue.engine.unblock('p')
  await queue.submit('work', {})
  await time.advance(1_000)
  expect([...(await queue.engine.blocks())]).toEqual([['p', 'cleared']])
})

it('a block says what its provider said, and a pace that calls only wait for their turn', async () => {
  const told = async (provider: string, said: string, mark: HealthMark) => {
    const failure = classify(new Error(said), { provider }) as Failure
    const permit = await queue.health.madeElsewhere(provider, { startedAt: time.now() })
    permit.failed(failure, mark)
    await queue.submit('work', {}, { providers: [provider] })
  }
  await queue.runner().start()
  await told('poor', 'Your credit balance is too low', { breaker: 'none', blockUntil: 'cleared' })
  await told('busy', '429 Too Many Requests', { breaker: 'none', pace: true })
  await time.advance(500)
  const events = await queue.ledger.events({ types: ['provider_blocked'] })
  expect(events.map(({ data }) => data)).toMatchObject([
    { provider: 'poor', said: 'Your credit balance is too low' },
    { provider: 'busy', said: '429 Too Many Requests', paced: true },
  ])
  expect(events[0]?.data).not.toHaveProperty('paced')
})
