import { mkdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../test/gateway/http/api.ts'
import { scriptedCapability } from '../../testing/scripted.ts'
import { BROWSERS_FILE } from './browsers-file.ts'
import { CSRF_HEADER } from './guard.ts'
import { includes, SCOPES, type Scope, scopeFor } from './scope.ts'
import { TEAM_TOKENS_FILE, TeamTokens } from './team-tokens.ts'

let api: TestApi
const start = async (toml = '') => {
  api = await TestApi.start({ toml, capabilities: [scriptedCapability({ name: 'fine' }).capability] })
}
beforeEach(() => start())
afterEach(() => api.close())

/** As a command does it: in another process, so with another reader of the file. */
const team = () => new TeamTokens(api.folder)
const make = (name: string, scope: Scope, expiresAt?: number) =>
  team().make({ name, scope, createdAt: Date.now(), ...(expiresAt === undefined ? {} : { expiresAt }) })
const status = async (path: string, token: string, body?: unknown) =>
  (await api.send(path, { token, ...(body === undefined ? {} : { method: 'POST', body }) })).status

describe('a token of the team', () => {
  it.each([
    ['read', 200, 403, 403, 403],
    ['submit', 200, 201, 403, 403],
    ['operate', 200, 201, 200, 403],
    ['admin', 200, 201, 200, 201],
  ] as const)('with scope %s may do just that', async (scope, read, submit, change, admin) => {
    const token = make('ci', scope)
    expect(await status('/v1/status', token)).toBe(read)
    expect(await status('/v1/operations', token, { capability: 'fine' })).toBe(submit)
    expect(await status('/v1/queue/pause', token, {})).toBe(change)
    expect(await status('/v1/sign_in_codes', token, {})).toBe(admin)
  })

  it('counts from the next request on, and no longer once it is revoked', async () => {
    expect(await status('/v1/status', `mlg_${'x'.repeat(43)}`)).toBe(401)
    const token = make('ci', 'read')
    expect(await status('/v1/status', token)).toBe(200)
    expect(team().revoke('ci')).toBe(true)
    expect(team().revoke('ci')).toBe(false)
    expect(await status('/v1/status', token)).toBe(401)
  })

  it('gets no more events once it is revoked', async () => {
    const answer = await fetch(`${api.url}/v1/events/stream`, {
      headers: { authorization: `Bearer ${make('wall', 'read')}` },
    })
    await expect.poll(() => api.gateway.waitingStreams).toBe(1)
    team().revoke('wall')
    await api.queue.submit('fine')
    expect(await answer.text()).not.toContain('submitted')
  })

  it('works although its use cannot be noted', async () => {
    mkdirSync(join(api.folder, 'http-tokens-used.json'))
    expect(await status('/v1/status', make('ci', 'read'))).toBe(200)
  })

  it('ends at its time', async () => {
    expect(await status('/v1/status', make('old', 'read', Date.now() - 1))).toBe(401)
    expect(await status('/v1/status', make('new', 'read', Date.now() + 60_000))).toBe(200)
  })

  it('is listed with its last use, and kept as a hash for its owner only', async () => {
    const token = make('ci', 'read')
    expect(team().list()).toMatchObject([{ name: 'ci', scope: 'read' }])
    await status('/v1/status', token)
    expect(team().list()[0]?.lastUsedAt).toBeGreaterThan(0)
    expect(statSync(join(api.folder, TEAM_TOKENS_FILE)).mode & 0o077).toBe(0)
    expect(() => make('ci', 'admin')).toThrow('there is a token named ci already')
    team().revoke('ci')
    team().make({ name: 'ci', scope: 'read', createdAt: Date.now() + 60_000 })
    expect(team().list()[0]?.lastUsedAt).toBeUndefined()
  })

  it('notes the first use of each token of one name', async () => {
    const tokens = new TeamTokens(api.folder)
    for (const now of [1_000, 2_000]) {
      const token = tokens.make({ name: 'ci', scope: 'read', createdAt: now })
      tokens.use(token, now)
      expect(tokens.list()[0]?.lastUsedAt).toBe(now)
      tokens.revoke('ci')
    }
  })

  it.each(SCOPES)('with scope %s is refused at every route that needs more, and at no other', async scope => {
    const token = make('ci', scope)
    const wrong: string[] = []
    for (const { id, method, path, demand } of api.gateway.routes) {
      const isRefused = demand !== 'open' && !includes(scope, scopeFor(demand))
      const url = path.replace(/\{\w+\}/g, 'none')
      const ends = new AbortController()
      const answer = await fetch(`${api.url}${url}`, {
        method: method.toUpperCase(),
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        signal: ends.signal,
        ...(method === 'get' ? {} : { body: '{"nonsense":1}' }),
      })
      if ((answer.status === 403) !== isRefused) wrong.push(`${id}: ${answer.status}`)
      ends.abort()
    }
    expect(wrong).toEqual([])
  })
})

describe('a browser', () => {
  const enter = (code: string) => api.send('/v1/sign_in', { method: 'POST', body: { code }, token: null })
  const as = (answer: { headers: Headers; json: { csrf: string } }) => ({
    token: null,
    headers: {
      cookie: answer.headers.get('set-cookie')?.split(';', 1)[0] as string,
      [CSRF_HEADER]: answer.json.csrf,
    },
  })

  it('that signs in by a token may do what the token may, and leaves with it', async () => {
    const browser = as(await enter(make('wall', 'read')))
    expect((await api.send('/v1/caller', browser)).json).toMatchObject({ scope: 'read', access: 'read_only' })
    const body = { capability: 'fine' }
    expect((await api.send('/v1/operations', { method: 'POST', body, ...browser })).status).toBe(403)
    team().revoke('wall')
    expect((await api.send('/v1/status', browser)).status).toBe(401)
    // Another token of that name is not the one that it came by.
    team().make({ name: 'wall', scope: 'admin', createdAt: Date.now() + 1 })
    expect((await api.send('/v1/status', browser)).status).toBe(401)
  })

  it('signs in although that cannot be kept for the next start', async () => {
    mkdirSync(join(api.folder, BROWSERS_FILE))
    const browser = as(await enter(make('wall', 'read')))
    expect((await api.send('/v1/status', browser)).status).toBe(200)
  })

  it('does not sign in by a token that may do everything', async () => {
    for (const token of [api.token, make('root', 'admin')]) {
      const { status: refused, json } = await enter(token)
      expect(refused).toBe(403)
      expect(json.detail).toContain('may do everything')
      expect(json.detail).toContain('mulligan http code')
    }
  })

  it('may only read if the code says so', async () => {
    const { code } = (await api.post('/v1/sign_in_codes', { scope: 'read' })).json
    expect((await api.send('/v1/caller', as(await enter(code)))).json).toMatchObject({ scope: 'read' })
  })

  it('stays signed in when the daemon restarts', async () => {
    const browser = as(await enter(api.gateway.newCode()))
    await api.restart()
    expect((await api.send('/v1/status', browser)).status).toBe(200)
    await api.send('/v1/sign_out', { method: 'POST', ...browser })
    await api.restart()
    expect((await api.send('/v1/status', browser)).status).toBe(401)
  })
})

describe('a proxy that signs people in', () => {
  const named = { token: null, headers: { 'x-user': 'jane' } }

  it('names nobody by default, or from another address', async () => {
    expect((await api.send('/v1/status', named)).status).toBe(401)
    await api.close()
    await start('[http]\nproxy_header = "X-User"\nproxy_addresses = ["10.9.9.9"]\n')
    expect((await api.send('/v1/status', named)).status).toBe(401)
  })

  it('names people, who may do what the config says', async () => {
    await api.close()
    await start('[http]\nproxy_header = "X-User"\nproxy_addresses = ["127.0.0.1"]\nproxy_scope = "operate"\n')
    await api.send('/v1/queue/pause', { method: 'POST', body: {}, ...named })
    expect((await api.get('/v1/audit')).changes).toMatchObject([
      { by: 'jane by proxy', action: 'pauseQueue' },
    ])
    expect((await api.send('/v1/sign_in_codes', { method: 'POST', body: {}, ...named })).status).toBe(403)
  })
})

describe('the record of changes', () => {
  it('says who did what, newest first', async () => {
    const token = make('ci', 'operate')
    await api.send('/v1/queue/pause', { method: 'POST', body: {}, token })
    await api.send('/v1/operations', { method: 'POST', body: { capability: 'fine' }, token })
    await api.post('/v1/operations', { capability: 'fine' })
    await api.post('/v1/queue/resume', {})
    await api.send('/v1/sign_in_codes', { method: 'POST', body: {}, token })
    const { changes } = await api.get('/v1/audit')
    expect(changes.map((each: { by: string; action: string }) => `${each.by}: ${each.action}`)).toEqual([
      'the full token: resumeQueue',
      'token ci: submitOperation',
      'token ci: pauseQueue',
    ])
    expect((await api.get('/v1/audit?limit=1')).changes).toHaveLength(1)
  })
})

describe('connections', () => {
  it('of strangers make room for those who have a token', async () => {
    await api.close()
    await start('[http]\nmax_connections = 5\n')
    const { port, hostname } = new URL(api.url)
    const strangers = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const socket = connect(Number(port), hostname)
        socket.on('error', () => {})
        await new Promise(resolve => socket.once('connect', resolve))
        return socket
      }),
    )
    expect((await api.send('/v1/status')).status).toBe(200)
    for (const socket of strangers) socket.destroy()
  })

  it('that stream events are limited on their own', async () => {
    await api.close()
    await start('[http]\nmax_streams = 1\n')
    const ends = new AbortController()
    const headers = { authorization: `Bearer ${api.token}` }
    const stream = await fetch(`${api.url}/v1/events/stream`, { headers, signal: ends.signal })
    expect(stream.status).toBe(200)
    expect(await api.send('/v1/events/stream')).toMatchObject({
      status: 503,
      json: { code: 'too_many_streams' },
    })
    expect((await api.send('/v1/status')).status).toBe(200)
    ends.abort()
  })
})
