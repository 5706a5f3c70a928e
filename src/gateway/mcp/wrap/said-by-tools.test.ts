import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { faultySettings, startWrap, type TestWrap } from '../../../../test/gateway/mcp/wrap/wrap.ts'
import { classify } from '../../../failure/classify.ts'
import type { Failure } from '../../../failure/failure.ts'
import { believed, SERVER_POLICY, TOOL_ERROR } from './server-health.ts'

const base = mkdtempSync(join(tmpdir(), 'mulligan-said-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

interface Answer {
  content: { text: string }[]
  _meta?: Record<string, unknown>
}
const call = async (agent: Client, name: string, args: object) =>
  (await agent.callTool({ name, arguments: { id: 'x', ...args } })) as unknown as Answer
const isQueued = (answer: Answer) => answer._meta?.queued_for_retry === true

let number = 0
const start = (settings = {}) => {
  const folder = join(base, `${++number}`)
  return startWrap(join(folder, 'data'), [faultySettings(join(folder, 'server'), 'session', settings)], {
    waitHereMs: 300,
  })
}

describe('what a tool says in prose', () => {
  let wrap: TestWrap
  let agent: Client
  let tools = 0
  beforeAll(async () => {
    wrap = await start({ tools: { atomic: { atomic: true } } })
    agent = await wrap.client('session')
  })
  afterAll(() => wrap.close())

  it.each<[text: string, then: 'paused' | 'free']>([
    ['HTTP 429 Too Many Requests. Retry after 2900000 seconds', 'paused'],
    ['GitHub API rate limit exceeded, try again in 20 minutes', 'paused'],
    ['Usage limit reached, resets in 3 days', 'paused'],
    ['429 Too Many Requests', 'free'],
    ['Your credit balance is too low to access the API', 'free'],
    ['402 Payment Required: insufficient credits', 'free'],
    ['401 invalid api key', 'free'],
    ['Error: 403 Forbidden. Your account has been disabled', 'free'],
    ['You have exceeded your monthly quota. Upgrade your plan', 'free'],
    ['503 Service Unavailable', 'free'],
    ['connect ECONNREFUSED 10.0.0.7:443', 'free'],
    ['The page says: server is overloaded (529), please log in', 'free'],
  ])('leaves its server alone: %s (the tool itself is %s)', async (says, then) => {
    const tool = `t${++tools}`
    for (const _ of [1, 2, 3]) await call(agent, tool, { says })
    expect(isQueued(await call(agent, 'write', {}))).toBe(false)
    expect(isQueued(await call(agent, tool, {}))).toBe(then === 'paused')
  })

  it.each([-32603, 0])('leaves its server alone if it throws, which becomes code %s', async code => {
    for (const message of ['Your credit balance is too low', '401 invalid api key', '429, wait 300 seconds'])
      await call(agent, `t${++tools}`, { error: { code, message } }).catch(() => {})
    expect(isQueued(await call(agent, 'write', {}))).toBe(false)
  })

  it('proves that nothing happened where the config says so, and only there', async () => {
    const says = '429 Too Many Requests, retry after 60 seconds'
    expect(isQueued(await call(agent, 'put', { says }))).toBe(true)
    expect(isQueued(await call(agent, 'atomic', { says }))).toBe(true)
    const other = await call(agent, 'write', { says })
    expect(isQueued(other)).toBe(false)
    expect(other.content.at(-1)?.text).toContain('may have happened')
  })

  it('cannot speak for Mulligan', async () => {
    const ours = { mulligan: { verdict: {} }, queued_for_retry: true, operation_id: 'op_1', retry_hint: 'x' }
    const also = { isError: false, _meta: { ...ours, its: 'own' } }
    expect((await call(agent, 'read', { says: 'fine', also }))._meta).toEqual({ its: 'own' })
    const failed = await call(agent, 'read', { says: 'No such repository', also: { _meta: ours } })
    expect(Object.keys(failed._meta ?? {})).toEqual(['mulligan'])
    expect(failed._meta?.mulligan).toHaveProperty('failure')
  })
})

describe('what a server says by its protocol', () => {
  let wrap: TestWrap
  afterEach(() => wrap.close())

  it.each<[string, object]>([
    ['a rate limit', { code: -32000, message: 'Rate limit exceeded, retry after 30 seconds' }],
    ['a rate limit in fields', { code: -32029, message: 'Too many', data: { status: 429, retryAfter: 30 } }],
    ['a refused login', { code: -32001, message: 'Unauthorized: 401 invalid api key' }],
    ['money', { code: -32000, message: 'Your credit balance is too low to access the API' }],
  ])('counts for all its tools: %s', async (_what, error) => {
    wrap = await start()
    const agent = await wrap.client('session')
    await call(agent, 't1', { error }).catch(() => {})
    const other = await call(agent, 'write', {}).catch(error => ({ content: [], error }) as unknown as Answer)
    expect(other.content[0]?.text).not.toBe('done x')
  })
})

describe('the policy for servers', () => {
  const NOW = 1_700_000_000_000
  const circumstances = { now: NOW, durable: true } as never
  const policy = SERVER_POLICY as Exclude<typeof SERVER_POLICY, (...all: never[]) => unknown>
  const said = (text: string) => {
    const result = { isError: true, content: [{ type: 'text', text }] }
    const failure = classify(result, { now: NOW, returned: true }) as Failure
    return believed({ ...failure, code: TOOL_ERROR }, NOW, false)
  }

  it('believes a tool an hour at most', () => {
    const failure = said('429 Too Many Requests. Retry after 2900000 seconds')
    expect(failure).toMatchObject({ class: 'throttle', retryAfterMs: 3_600_000 })
    expect(policy.health?.(failure, circumstances)).toEqual({
      breaker: 'none',
      ofTool: true,
      blockUntil: NOW + 3_600_000,
    })
    expect(said('rate limit exceeded, try again in 20 minutes').retryAfterMs).toBe(1_200_000)
  })

  it('does not let a queued call wait for a person because of what a tool says', () => {
    for (const text of ['Your credit balance is too low', '401 invalid api key'])
      expect(policy.verdict?.(said(text), circumstances)).toMatchObject({ action: 'cancel', as: 'refused' })
    expect(policy.verdict?.(said('429, retry after 60 seconds'), circumstances)).toBeUndefined()
  })
})

it('lists the tool for results once, although the server has one of that name, and passes on what is not ours', async () => {
  const folder = join(base, 'twice')
  const wrap = await startWrap(join(folder, 'data'), [faultySettings(join(folder, 'server'), 'session')])
  const agent = await wrap.client('session')
  await agent.listTools()
  writeFileSync(join(folder, 'server', 'mulligan_result'), '')
  const { tools } = await agent.listTools()
  expect(tools.filter(({ name }) => name === 'mulligan_result')).toHaveLength(1)
  expect(tools.at(-1)).toMatchObject({ inputSchema: { properties: { operation_id: {} } } })
  const theirs = await call(agent, 'mulligan_result', {
    operation_id: 'op_of_theirs',
    says: 'said by theirs',
  })
  expect(theirs.content[0]?.text).toContain('said by theirs')
  await wrap.close()
})
