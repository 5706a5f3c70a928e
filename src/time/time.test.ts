import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeTime } from '../testing/core/fake-time.ts'
import { realTime, sleep } from './time.ts'

describe('a sleep', () => {
  it('ends after its time and leaves nothing behind', async () => {
    const time = new FakeTime()
    const controller = new AbortController()
    const slept = sleep(time, 500, controller.signal)
    await time.until(slept)
    expect(time.monotonic()).toBe(500)
    expect(time.pending).toBe(0)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  it('rejects with the reason of an abort, at once and during it', async () => {
    const time = new FakeTime()
    await expect(sleep(time, 500, AbortSignal.abort('early'))).rejects.toBe('early')
    const controller = new AbortController()
    const slept = sleep(time, 500, controller.signal)
    controller.abort('late')
    await expect(slept).rejects.toBe('late')
    expect(time.pending).toBe(0)
  })
})

describe('real time', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('waits for months, although a Node timer lasts at most 24 days', () => {
    const fired = vi.fn()
    const day = 86_400_000
    realTime.after(60 * day, fired)
    vi.advanceTimersByTime(59 * day)
    expect(fired).not.toHaveBeenCalled()
    vi.advanceTimersByTime(day)
    expect(fired).toHaveBeenCalledOnce()
  })

  it('does not keep the process alive for a cancelled timer, and fires later ones', async () => {
    vi.useRealTimers()
    const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length
    const before = timers()
    const callOff = realTime.after(5, () => {})
    expect(timers()).toBe(before + 1)
    callOff()
    expect(timers()).toBe(before)
    await new Promise<void>(fired => void realTime.after(5, fired))
  })

  it('never fires a cancelled timer, or one that waits forever', () => {
    const fired = vi.fn()
    realTime.after(10, fired)()
    realTime.after(1e10, fired)()
    realTime.after(Infinity, fired)
    vi.advanceTimersByTime(1e11)
    expect(fired).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })
})
