import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { TestApi } from '../../../test/gateway/http/api.ts'
import type { Capability } from '../../capability/capability.ts'
import { defineCapability } from '../../capability/define.ts'

// Without renewals, nothing but the cancel itself can tell the work.

let api: TestApi
let started: PromiseWithResolvers<string>
let stopped: PromiseWithResolvers<unknown>

beforeEach(async () => {
  started = Promise.withResolvers()
  stopped = Promise.withResolvers()
  const long = defineCapability({
    name: 'long',
    params: z.object({}),
    retry: 'replay',
    run: (_params, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped.resolve(signal.reason)
          reject(signal.reason)
        })
        started.resolve('op_1')
      }),
  }) as Capability
  api = await TestApi.start({ capabilities: [long] })
  api.queue.engine.renew = () => new Promise(() => {})
})
afterEach(() => api.close())

const byMcp = async (id: string) => {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${api.token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit }))
  await client.callTool({ name: 'operation_action', arguments: { action: 'cancel', id } })
  await client.close()
}
const byDashboard = async () => {
  const preview = await api.post('/v1/operations/bulk/preview', {
    action: 'cancel',
    filter: { state: ['running'] },
  })
  await api.post('/v1/operations/bulk/apply', { token: preview.json.token })
}
const WAYS: Record<string, (id: string) => Promise<unknown>> = {
  'the same queue': id => api.queue.cancel(id),
  'the HTTP API': id => api.post(`/v1/operations/${id}/cancel`),
  'a selection in the dashboard': byDashboard,
  MCP: byMcp,
}

describe.each(Object.entries(WAYS))('a cancel by %s', (_way, cancel) => {
  it('reaches the work of a runner in the same process without waiting for a renewal', async () => {
    await api.queue.runner().start()
    await api.queue.submit('long')
    await cancel(await started.promise)
    await stopped.promise
    expect(await api.queue.wait('op_1')).toMatchObject({ deadAs: 'cancelled' })
  })

  it('reaches the work that a caller of the same process waits for', async () => {
    const running = api.queue.run('long', {}, { budgetMs: 60_000 }).catch((error: unknown) => error)
    await cancel(await started.promise)
    await stopped.promise
    expect(await running).toMatchObject({ operation: { deadAs: 'cancelled' } })
  })
})
