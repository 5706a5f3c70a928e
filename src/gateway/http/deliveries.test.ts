import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { scriptedCapability } from '../../testing/scripted.ts'
import { realTime } from '../../time/time.ts'

let api: TestApi
/** Added to the clock, so that pages are made anew. */
let later = 0
beforeEach(async () => {
  const mine = scriptedCapability({ name: 'mine', rest: { done: true } })
  const delivery = scriptedCapability({
    name: 'notice:hook',
    provider: 'surface:hook',
    script: [{ fails: 'invalid_request' }],
    rest: { done: true },
  })
  const time = { ...realTime, monotonic: () => realTime.monotonic() + later }
  api = await TestApi.start({ capabilities: [mine.capability, delivery.capability], time })
})
afterEach(() => api.close())

describe('deliveries of notices', () => {
  it('are no operations: not in metrics, status, agenda, history, lists or counts', async () => {
    await api.get('/v1/failures')
    await api.send('/metrics')
    const names = ['mine', 'notice:hook', 'notice:hook']
    const submitted = await Promise.all(names.map(name => api.queue.submit(name)))
    const runner = api.queue.runner()
    await runner.start()
    for (const { id } of submitted) await api.queue.wait(id)
    await runner.stop()
    for (const name of names) await api.queue.submit(name, {}, { at: Date.now() + 600_000 })

    later += 10_000
    const page = (await api.send('/metrics', { token: api.readOnlyToken })).json
    for (const line of [
      'mulligan_submitted_total 2',
      'mulligan_ended_total{outcome="succeeded"} 1',
      'mulligan_ended_total{outcome="refused"} 0',
      'mulligan_operations{state="scheduled"} 1',
      'mulligan_operations{state="succeeded"} 1',
      'mulligan_operations{state="dead"} 0',
    ])
      expect(page).toContain(`${line}\n`)
    expect(page).not.toMatch(/_total\{provider="surface:/)

    expect(await api.get('/v1/status')).toMatchObject({ retry_queue: { queued: 1 }, succeeded: 1, dead: 0 })
    const { agenda } = await api.get('/v1/overview?ahead_ms=3600000')
    expect(agenda.due.reduce((a: number, b: number) => a + b, 0)).toBe(1)
    expect(agenda.waiting).toEqual({})
    const succeeded = async () =>
      (await api.get('/v1/failures')).succeeded.reduce((a: number, b: number) => a + b, 0)
    // Events are counted as they are read.
    await expect.poll(succeeded).toBe(1)
    expect(await api.get('/v1/failures')).toMatchObject({ failures: {}, kinds: {}, dead: {} })

    const list = await api.get('/v1/operations')
    expect(list.operations.map(({ capability }: { capability: string }) => capability)).toEqual([
      'mine',
      'mine',
    ])
    expect(await api.get('/v1/operations/count')).toMatchObject({ total: 2 })
    // Whoever names them gets them.
    expect(await api.get('/v1/operations/count?capability=notice:hook')).toMatchObject({ total: 4 })
    expect(await api.get('/v1/operations/count?provider=surface:hook')).toMatchObject({ total: 4 })
  })
})
