import { describe, expect, it } from 'vitest'
import { type Caller, callerOf } from './caller.ts'
import { headersToSend } from './headers.ts'
import { NoUpstream, type Upstream, Upstreams } from './upstream.ts'

const TOKEN = 'mlg_token'
const caller = (headers: Record<string, string>, parameter: string | null = null): Caller =>
  callerOf(headers, parameter, text => text === TOKEN)

const at = (id: string, more: Partial<Upstream> = {}): Upstream => ({
  id,
  api: 'anthropic',
  baseURL: `https://${id}.example`,
  modelNames: {},
  models: [],
  ...more,
})

describe('a caller', () => {
  it.each([
    [{ authorization: 'Bearer own' }, null, 'own'],
    [{ 'x-api-key': 'own' }, null, 'own'],
    [{}, 'own', 'own'],
    [{}, null, undefined],
  ] as const)('%j %s has the key %s', (headers, parameter, credential) => {
    expect(caller(headers, parameter)).toMatchObject({ credential, hasToken: false })
  })

  it.each([
    [{ authorization: `Bearer ${TOKEN}` }, null],
    [{ 'x-api-key': TOKEN }, null],
    [{ 'x-mulligan-token': TOKEN }, null],
    [{ 'x-api-key': `${TOKEN}, ${TOKEN}` }, null],
    [{ 'x-litellm-api-key': TOKEN }, null],
    [{}, TOKEN],
  ] as const)('gives our token anywhere, and it is never among what is sent on: %j', (headers, parameter) => {
    const { hasToken, own } = caller(headers, parameter)
    expect(hasToken).toBe(true)
    expect(JSON.stringify(own)).not.toContain(TOKEN)
  })

  it('sends its key for a proxy on the way to nobody', () => {
    expect(caller({ 'proxy-authorization': 'Basic own' }).own).toEqual({})
  })

  it('keeps a key of its own beside our token', () => {
    expect(caller({ authorization: 'Bearer own', 'x-mulligan-token': TOKEN })).toMatchObject({
      credential: 'own',
      hasToken: true,
    })
  })
})

it('the key of a gateway in between goes to nobody else', () => {
  const headers = { 'helicone-auth': 'Bearer own', 'idempotency-key': '1', 'user-agent': 'x' }
  expect(caller(headers).own).toEqual({ 'helicone-auth': 'Bearer own' })
  expect(Object.keys(headersToSend(headers)).sort()).toEqual([
    'accept-encoding',
    'idempotency-key',
    'user-agent',
  ])
})

describe('upstreams', () => {
  it('without any configured are the vendor itself, with the key of the caller', () => {
    const [endpoint, ...others] = new Upstreams([], 'h').for(
      'openai',
      caller({ authorization: 'Bearer own' }),
      'm',
    )
    expect(endpoint).toMatchObject({
      baseURL: 'https://api.openai.com',
      headers: { authorization: 'Bearer own' },
    })
    expect(others).toEqual([])
  })

  it("get a caller's key only where none is configured, and only the first of them", () => {
    const all = [at('paid', { key: () => 'configured' }), at('own'), at('other')]
    const endpoints = new Upstreams(all, 'h').for(
      'anthropic',
      caller({ 'x-api-key': 'own', 'x-mulligan-token': TOKEN }),
      'm',
    )
    expect(endpoints.map(({ headers }) => headers)).toEqual([
      { 'x-api-key': 'configured' },
      { 'x-api-key': 'own' },
      {},
    ])
  })

  it("get no caller's key because they alone have the model", () => {
    const all = [at('vendor', { models: ['x'] }), at('local', { models: ['y'] })]
    const endpoints = new Upstreams(all, 'h').for('anthropic', caller({ 'x-api-key': 'own' }), 'y')
    expect(endpoints).toMatchObject([{ baseURL: 'https://local.example', headers: {} }])
  })

  it('are not held up for all by a caller without a key', () => {
    const upstreams = new Upstreams([at('main', { cli: 'claude' })], 'h')
    const [endpoint] = upstreams.for('anthropic', caller({ 'user-agent': 'claude-cli/2.1.325' }), 'm')
    expect(endpoint?.id).toMatch(/^main~[0-9a-f]{8}$/)
  })

  it('are told apart although a caller has one key for several', () => {
    const upstreams = new Upstreams([at('main'), at('gateway', { api: 'openai' })], 'h')
    const key = caller({ 'x-api-key': 'own' })
    const names = (['anthropic', 'openai', 'anthropic'] as const).map(
      api => upstreams.for(api, key, 'm')[0]?.id,
    )
    expect(names).toEqual([
      expect.stringMatching(/^main~/),
      expect.stringMatching(/^gateway~/),
      expect.stringMatching(/^main~/),
    ])
  })

  it('rename no model that only looks like a name of theirs', () => {
    const [endpoint] = new Upstreams([at('main')], 'h').for('anthropic', caller({}), 'constructor')
    expect(endpoint).not.toHaveProperty('model')
  })

  it('with a key of the config are left out for callers without the token', () => {
    const all = [at('paid', { key: () => 'configured' }), at('own')]
    const endpoints = new Upstreams(all, 'h').for('anthropic', caller({ 'x-api-key': 'own' }), 'm')
    expect(endpoints.map(({ baseURL }) => baseURL)).toEqual(['https://own.example'])
  })

  it('keep accounts of callers apart by a keyed hash, unless it is the login of a CLI', () => {
    const nameFor = (key: string, headers: Record<string, string>, more: Partial<Upstream> = {}) =>
      new Upstreams([at('main', more)], key).for('anthropic', caller(headers), 'm')[0]?.id
    expect(nameFor('h', { 'x-api-key': 'a' })).toMatch(/^main~[0-9a-f]{8}$/)
    expect(nameFor('h', { 'x-api-key': 'a' })).not.toBe(nameFor('h', { 'x-api-key': 'b' }))
    expect(nameFor('h', { 'x-api-key': 'a' })).not.toBe(nameFor('other key', { 'x-api-key': 'a' }))
    const claude = { 'x-api-key': 'a', 'user-agent': 'claude-cli/2.1.325 (external, cli)' }
    expect(nameFor('h', claude, { cli: 'claude' })).toBe('main')
  })

  it('without the model are left out, and if none has it, that is said', () => {
    const upstreams = new Upstreams(
      [at('a', { models: ['x'] }), at('b', { models: ['y'], modelNames: { z: 'y' } })],
      'h',
    )
    const own = caller({ 'x-api-key': 'own' })
    expect(upstreams.for('anthropic', own, 'z')).toMatchObject([{ baseURL: 'https://b.example', model: 'y' }])
    expect(() => upstreams.for('anthropic', own, 'w')).toThrow(NoUpstream)
  })
})

it('callers with ever new keys share a few names in the end', () => {
  const upstreams = new Upstreams([at('first')], 'key of hashes')
  const names = new Set<string>()
  const nameOf = (key: string) =>
    upstreams.for('anthropic', caller({ 'x-api-key': key }), undefined)[0]?.id as string
  const early = nameOf('key 0')
  for (let n = 0; n < 5_000; n++) names.add(nameOf(`key ${n}`))
  expect(names.size).toBeLessThanOrEqual(256 + 16)
  expect(nameOf('key 0')).toBe(early)
})

it('a key that is not set is told as such, not as a provider that cannot be reached', () => {
  const key = () => {
    throw new Error('env:KEY: this variable is not set')
  }
  const upstreams = new Upstreams(
    [{ id: 'keyed', api: 'openai', baseURL: 'https://up.example', modelNames: {}, models: [], key }],
    'h',
  )
  const ask = () => upstreams.for('openai', caller({ authorization: `Bearer ${TOKEN}` }), undefined)
  expect(ask).toThrow('no key for the provider keyed: env:KEY: this variable is not set')
  expect(ask).toThrow(expect.objectContaining({ status: 401 }))
})
