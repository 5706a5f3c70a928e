import { expect, it, vi } from 'vitest'
import { call } from '../call/call.ts'
import { FakeTime } from './core/fake-time.ts'
import { scriptedCall } from './core/scripted-call.ts'
import { failureOfKind } from './core/scripted-failure.ts'
import { expectEvents, nextEvent } from './events.ts'
import { scriptedCapability } from './scripted.ts'
import { testQueue } from './test-queue.ts'

it('a scripted call fails as scripted, then succeeds', async () => {
  const time = new FakeTime()
  const work = scriptedCall([{ fails: 'eof' }, { throws: new Error('read ECONNRESET') }], 'fine')
  const result = await time.until(call(work, { time }))
  expect(result.value).toBe('fine')
  expect(result.attempts.map(({ failure }) => failure?.class)).toEqual(['transient', 'transient', undefined])
  expect(work.script.left).toBe(0)
})

it('a fake clock works beside fake timers of the test framework', async () => {
  vi.useFakeTimers()
  try {
    const time = new FakeTime()
    const work = scriptedCall([{ fails: 'overloaded' }], 'fine')
    expect((await time.until(call(work, { time, random: () => 0 }))).value).toBe('fine')
  } finally {
    vi.useRealTimers()
  }
})

it('expectEvents accepts the events that happened, and shows the difference otherwise', async () => {
  const { queue, time } = await testQueue({ capabilities: [scriptedCapability({ name: 'work' }).capability] })
  const { id } = await queue.submit('work')
  const found = nextEvent(queue, ({ type }) => type === 'succeeded')
  await queue.runner().start()
  expect(await time.until(found)).toMatchObject({ type: 'succeeded', operation: id })
  await expectEvents(queue, id, ['submitted', { type: 'claimed', run: 1 }, 'succeeded'])
  await expect(expectEvents(queue, id, ['submitted', 'claimed'])).rejects.toThrow('strictly deep-equal')
  await expect(
    expectEvents(queue, id, ['submitted', { type: 'claimed', run: 2 }, 'succeeded']),
  ).rejects.toThrow()
  await time.until(queue.close())
  expect(time.pending).toBe(0)
})

it('a failure of a kind has the class of that kind', () => {
  expect(failureOfKind('usage_limit')).toMatchObject({ class: 'throttle', effect: 'none' })
  expect(failureOfKind({ kind: 'eof', effect: 'maybe' })).toMatchObject({
    class: 'transient',
    effect: 'maybe',
  })
})
