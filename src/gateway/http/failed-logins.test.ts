import { expect, it } from 'vitest'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { FailedLogins } from './failed-logins.ts'

it('waits longer after each failure, up to five seconds, and forgets after a minute', async () => {
  const time = new FakeTime()
  const failed = new FailedLogins(time)
  const waits: number[] = []
  for (let n = 0; n < 12; n += 1) {
    const from = time.monotonic()
    await time.until(failed.slowDown())
    waits.push(time.monotonic() - from)
  }
  expect(waits).toEqual([0, 0, 0, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000])
  time.jump(60_001)
  await time.advance(60_001)
  const from = time.monotonic()
  await time.until(failed.slowDown())
  expect(time.monotonic() - from).toBe(0)
})

it('stops waiting for a client that is gone', async () => {
  const failed = new FailedLogins(new FakeTime())
  for (let n = 0; n < 3; n += 1) await failed.slowDown()
  const gone = AbortSignal.abort()
  expect(await failed.slowDown(gone)).toBe(true)
})
