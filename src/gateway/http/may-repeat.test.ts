import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Capability } from '../../capability/capability.ts'
import { defineCapability } from '../../capability/define.ts'
import { TestApi } from './test-api.ts'

// A charge whose answer was lost, and which nothing can check: every way to run it again asks first.

let api: TestApi
let charges: number

beforeEach(async () => {
  charges = 0
  const charge = defineCapability({
    name: 'charge',
    params: z.object({ cents: z.number() }),
    retry: 'none',
    run: () => {
      charges++
      if (charges === 1) throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    },
  }) as Capability
  api = await TestApi.start({ capabilities: [charge] })
  await api.queue.runner().start()
  await api.queue.submit('charge', { cents: 100 })
  expect(await api.queue.wait('op_1')).toMatchObject({ state: 'dead', deadAs: 'unverifiable' })
})
afterEach(() => api.close())

const WAYS: Record<string, (more: object) => Promise<{ status: number; json: { code?: string } }>> = {
  retry: more => api.post('/v1/operations/op_1/retry', more),
  'edit and retry': more =>
    api.send('/v1/operations/op_1', {
      method: 'PATCH',
      body: { changed_params: { cents: 50 }, revive: true, ...more },
    }),
}

describe.each(Object.entries(WAYS))('%s of a charge that may have happened', (_way, run) => {
  it('is refused without may_repeat, and runs with it', async () => {
    expect(await run({})).toMatchObject({
      status: 409,
      json: { code: 'may_repeat', detail: expect.stringContaining('op_1 may happen twice: it may already') },
    })
    expect((await api.queue.ledger.get('op_1'))?.state).toBe('dead')
    expect(charges).toBe(1)
    expect(await run({ may_repeat: true })).toMatchObject({ status: 200 })
    expect((await api.queue.wait('op_1')).state).toBe('succeeded')
    expect(charges).toBe(2)
  })
})

it('a bulk retry leaves it alone without may_repeat', async () => {
  const filter = { state: ['dead'] }
  const preview = await api.post('/v1/operations/bulk/preview', { action: 'retry', filter })
  const applied = await api.post('/v1/operations/bulk/apply', { token: preview.json.token })
  expect(applied.json).toEqual({ counts: {}, left: ['op_1'] })
  const again = await api.post('/v1/operations/bulk/preview', { action: 'retry', filter })
  const { json } = await api.post('/v1/operations/bulk/apply', { token: again.json.token, may_repeat: true })
  expect(json).toEqual({ counts: { revived: 1 }, left: [] })
})
