import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TestQueue, testQueue } from '../testing/test-queue.ts'
import { endPauses, pauseReason, setPauseEnd } from './pause-end.ts'

let kit: TestQueue
beforeEach(async () => {
  kit = await testQueue({ capabilities: [] })
})
afterEach(() => kit.time.until(kit.queue.close()))

it('ends a pause when its time is over, and no other', async () => {
  const { queue, time } = kit
  for (const provider of ['a', 'b']) await queue.pause({ provider })
  await setPauseEnd(queue.ledger, 'a', time.now() + 60_000)
  expect(await endPauses(queue, ['a', 'b'], time.now())).toEqual([])
  expect(await endPauses(queue, ['a', 'b'], time.now() + 60_000)).toEqual(['a'])
  expect((await queue.engine.pauses()).providers).toEqual(['b'])
  expect(await endPauses(queue, ['a', 'b'], time.now() + 90_000)).toEqual([])
})

it('deletes the end of a pause that a person ended, so that the next one lasts', async () => {
  const { queue, time } = kit
  await queue.pause({ provider: 'a' })
  await setPauseEnd(queue.ledger, 'a', time.now() + 60_000)
  await queue.resume({ provider: 'a' })
  await queue.pause({ provider: 'a' })
  expect(await endPauses(queue, ['a'], time.now() + 90_000)).toEqual([])
})

it('does not end a later pause that was to last', async () => {
  const { queue, time } = kit
  await queue.pause({ provider: 'a' })
  await setPauseEnd(queue.ledger, 'a', time.now() + 60_000)
  await queue.pause({ provider: 'a' })
  expect(await endPauses(queue, ['a'], time.now() + 90_000)).toEqual([])
})

it('says until when', () => {
  expect(pauseReason('a bill', Date.UTC(2026, 0, 1))).toBe('a bill (until 2026-01-01T00:00:00.000Z)')
  expect(pauseReason(undefined, undefined)).toBeUndefined()
})
