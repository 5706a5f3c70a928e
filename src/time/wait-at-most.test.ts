import { describe, expect, it } from 'vitest'
import { FakeTime } from '../testing/core/fake-time.ts'
import { waitAtMost } from './wait-at-most.ts'

/** Never settles on its own. */
const forever = (signal: AbortSignal) =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
  })
const { signal: never } = new AbortController()

describe('waitAtMost', () => {
  it('ends with what is waited for, and leaves no timer behind', async () => {
    const time = new FakeTime()
    await waitAtMost(1_000, async () => 'done', time, never)
    await expect(time.until(new Promise(() => {}), 2_000)).rejects.toThrow('no timer is left to fire')
  })

  it('ends when the time is over', async () => {
    const time = new FakeTime()
    const began = time.monotonic()
    await time.until(waitAtMost(1_000, forever, time, never))
    expect(time.monotonic() - began).toBe(1_000)
  })

  it('ends on abort, and passes on any other error', async () => {
    const time = new FakeTime()
    await expect(waitAtMost(1_000, forever, time, AbortSignal.abort())).resolves.toBeUndefined()
    const broken = waitAtMost(1_000, () => Promise.reject(new Error('broken')), time, never)
    await expect(broken).rejects.toThrow('broken')
  })
})
