import { describe, expect, it } from 'vitest'
import { eachTest, make, now, queue, scripted, time } from '../../test/work.ts'
import { testQueue } from '../testing/test-queue.ts'
import { runWithin } from './run-within.ts'

eachTest()

const within = (waitMs: number, options = {}) =>
  runWithin(queue, 'work', { n: 1 }, { waitMs, time, ...options })

describe('running within a time', () => {
  it('returns the value if it succeeds in time', async () => {
    await make({ rest: 'done' })
    expect(await within(1_000)).toEqual({ value: 'done', operationId: 'op_1' })
  })

  it('aborts no try: a running try continues, and its caller learns how to follow it', async () => {
    await make({ script: [{ hangs: true }] })
    const told = within(1_000, { hearBy: (id: string) => `Check the inbox for ${id}.` })
    expect(await time.until(told)).toMatchObject({
      queuedForRetry: true,
      operationId: 'op_1',
      retryHint: expect.stringMatching(/^Not done yet: it is running\..* Check the inbox for op_1\.$/),
    })
    expect(await now('op_1')).toMatchObject({ state: 'running' })
    expect(scripted.script.tries).toHaveLength(1)
  })

  it('hands over an operation that must wait longer', async () => {
    await make({ script: [{ fails: { kind: 'rate_limit', retryAfterMs: 60_000, effect: 'none' } }] })
    expect(await time.until(within(20_000))).toMatchObject({
      queuedForRetry: true,
      retryAt: time.now() + 60_000,
    })
  })

  it('stops waiting on abort, and leaves the operation alone', async () => {
    await make({ script: [{ hangs: true }] })
    const stop = new AbortController()
    const told = within(60_000, { signal: stop.signal, onBegun: () => stop.abort() })
    expect(await told).toMatchObject({ queuedForRetry: true, operationId: 'op_1' })
    expect(await now('op_1')).toMatchObject({ state: 'running', cancelRequested: false })
  })

  it('runs a capability that only another runner has on that runner', async () => {
    await make({ rest: 'done' })
    // It shares the ledger, which the other queue closes.
    const { queue: other } = await testQueue({ ledger: queue.ledger, engine: queue.engine, time })
    await queue.runner().start()
    const told = runWithin(other, 'work', { n: 1 }, { waitMs: 5_000, time })
    expect(await time.until(told)).toEqual({ value: 'done', operationId: 'op_1' })
  })

  it('does not wait for an operation that must wait longer elsewhere', async () => {
    await make({ script: [{ fails: { kind: 'rate_limit', retryAfterMs: 600_000, effect: 'none' } }] })
    const { queue: other } = await testQueue({ ledger: queue.ledger, engine: queue.engine, time })
    await queue.runner().start()
    const began = time.now()
    const told = runWithin(other, 'work', { n: 1 }, { waitMs: 60_000, time })
    expect(await time.until(told)).toMatchObject({ queuedForRetry: true, retryAt: expect.any(Number) })
    expect(time.now() - began).toBeLessThan(60_000)
  })

  it('refuses a capability that no runner has, and stores nothing', async () => {
    await make()
    await expect(runWithin(queue, 'wrok', {}, { waitMs: 1_000, time })).rejects.toMatchObject({
      code: 'unknown_capability',
      message: 'unknown capability "wrok"; did you mean "work"?',
    })
    expect((await queue.ledger.counts()).total).toBe(0)
  })
})
