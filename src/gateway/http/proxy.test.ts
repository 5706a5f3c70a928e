import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { startProxy } from '../../../test/gateway/proxy/proxy.ts'
import { PROXY_ADDRESS_FILE, PROXY_TOKEN_FILE } from '../proxy/files.ts'
import type { Hold } from '../proxy/holds.ts'
import { writeAddress } from './address-file.ts'
import type { Route } from './route.ts'
import { tokenIn } from './token-files.ts'

let api: TestApi
beforeEach(async () => {
  api = await TestApi.start()
})
afterEach(() => api.close())

const routeOf = (id: string) => api.gateway.routes.find(each => each.id === id) as Route
const HOLD: Hold = {
  id: 'h1',
  api: 'anthropic',
  client: 'claude',
  model: 'claude-sonnet-4-5',
  provider: 'anthropic',
  since: 0,
  until: undefined,
  reason: 'rate_limit',
}

/** A proxy of the same data folder, in which one question waits. */
async function proxyWithHold() {
  const token = tokenIn(api.folder, PROXY_TOKEN_FILE)
  const released: string[] = []
  const { proxy, holds, url } = await startProxy([], {
    isToken: text => text === token,
    release: async provider => void released.push(provider),
  })
  writeAddress(api.folder, { url, pid: process.pid }, PROXY_ADDRESS_FILE)
  const ended: string[] = []
  holds.note(HOLD, why => ended.push(why.message))
  return { url, released, ended, stop: () => proxy.stop() }
}

it('lists what waits in the proxy, and releases or refuses it', async () => {
  const { url, released, ended, stop } = await proxyWithHold()
  try {
    const answer = await api.send('/v1/proxy/holds')
    expect(api.undocumented(routeOf('listHolds'), answer)).toEqual([])
    expect(answer.json).toMatchObject({ url, holds: [{ id: 'h1', client: 'claude', until: null }] })
    expect((await api.get('/v1/status')).proxy).toEqual({ url, holds: 1 })
    expect(
      await (await fetch(`${api.url}/metrics`, { headers: { authorization: `Bearer ${api.token}` } })).text(),
    ).toContain('mulligan_proxy_holds{client="claude"} 1')
    const changed = await api.post('/v1/proxy/holds/h1/release', {})
    expect(api.undocumented(routeOf('releaseHold'), changed)).toEqual([])
    expect(released).toEqual(['anthropic'])
    await api.post('/v1/proxy/holds/h1/refuse', {})
    expect(ended).toEqual(['refused by a person'])
    expect(await api.get('/v1/audit')).toMatchObject({
      changes: [{ action: 'refuseHold', subject: 'h1' }, { action: 'releaseHold' }],
    })
    expect(await api.post('/v1/proxy/holds/none/refuse', {})).toMatchObject({ status: 404 })
  } finally {
    await stop()
  }
})

it('says that no proxy runs, also where one was killed', async () => {
  expect(await api.get('/v1/proxy/holds')).toEqual({ url: null, holds: [] })
  const { stop } = await proxyWithHold()
  await stop()
  expect(await api.get('/v1/proxy/holds')).toEqual({ url: null, holds: [] })
  expect(await api.post('/v1/proxy/holds/h1/refuse', {})).toMatchObject({
    status: 404,
    json: { detail: expect.stringMatching(/proxy at .* does not answer/) },
  })
})

it.each(['{}', 'null', '[]', '"hello"', '{"holds":[{}]}', '{"holds":7}', 'hello'])(
  'takes a program that answers %s on the port of a dead proxy for no proxy',
  async body => {
    const server = createServer((_request, response) => response.end(body))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      writeAddress(api.folder, { url, pid: process.pid }, PROXY_ADDRESS_FILE)
      expect((await api.get('/v1/status')).proxy).toBeNull()
      expect(await api.get('/v1/proxy/holds')).toEqual({ url: null, holds: [] })
      expect(await api.post('/v1/proxy/holds/h1/refuse', {})).toMatchObject({
        status: 404,
        json: { detail: expect.stringContaining(`what answers at ${url} is no proxy of`) },
      })
    } finally {
      server.close()
    }
  },
)

it('asks nobody on the port of a proxy whose process has ended, or whose token others know', async () => {
  const { url, stop } = await proxyWithHold()
  try {
    writeAddress(api.folder, { url, pid: 4_194_300 }, PROXY_ADDRESS_FILE)
    expect((await api.get('/v1/status')).proxy).toBeNull()
    writeAddress(api.folder, { url, pid: process.pid }, PROXY_ADDRESS_FILE)
    expect((await api.get('/v1/status')).proxy).toMatchObject({ url })
    chmodSync(join(api.folder, PROXY_TOKEN_FILE), 0o644)
    expect((await api.get('/v1/status')).proxy).toBeNull()
  } finally {
    await stop()
  }
})

it('sums what was spent today by what is asked for', async () => {
  const now = Date.now()
  const usage = { inputTokens: 10, outputTokens: 5, cachedTokens: 0, cacheWriteTokens: 0 }
  const line = { session: 's', provider: 'p', tries: 1, failed: 0, unpriced: 0, usage }
  const at = now - (now % 900_000)
  await api.queue.ledger.addToBill([
    { ...line, at, client: 'claude', model: 'a', usd: 2 },
    { ...line, at, client: 'claude', model: 'b', usd: 1 },
    { ...line, at, client: 'codex', model: 'c', usd: 0.5 },
    { ...line, at: at - 3 * 86_400_000, client: 'codex', model: 'c', usd: 9 },
  ])
  const answer = await api.send('/v1/spend')
  expect(api.undocumented(routeOf('getSpend'), answer)).toEqual([])
  expect(answer.json.spend).toMatchObject([
    { client: 'claude', usd: 3, tries: 2, usage: { input_tokens: 20 } },
    { client: 'codex', usd: 0.5 },
  ])
  const models = await api.get('/v1/spend?by=model&by=client&client=claude')
  expect(models.spend).toMatchObject([{ model: 'a', client: 'claude' }, { model: 'b' }])
  expect((await api.send('/v1/spend?by=moon')).status).toBe(400)
  expect((await api.get('/v1/status')).spent_today).toHaveLength(3)
})
