import { existsSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import {
  ASKING_SERVER,
  faultySettings,
  programSettings,
  startWrap,
  type TestWrap,
} from '../../../../test/gateway/mcp/wrap/wrap.ts'
import type { UpstreamSettings } from './upstream-settings.ts'
import type { WrapOptions } from './wrap.ts'

const folders: string[] = []
const wraps: TestWrap[] = []

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-bridge-'))
  folders.push(folder)
  return folder
}

async function wrapped(settings: UpstreamSettings, options: Partial<WrapOptions> = {}): Promise<TestWrap> {
  const started = await startWrap(newFolder(), [settings], options)
  wraps.push(started)
  return started
}

afterEach(async () => {
  await Promise.all(wraps.splice(0).map(wrap => wrap.close()))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const linesOf = (folder: string, file: string) => {
  const path = join(folder, file)
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}
const textOf = (answer: unknown) =>
  (answer as { content: { text: string }[] }).content.map(({ text }) => text).join('\n')
const CALL = (tool: string, id: string, fault = 'none') => ({ name: tool, arguments: { id, fault } })

/** What a request of the stateless era says of itself. */
const meta = (more: object = {}) => ({
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    ...more,
  },
})

it('greets the server again if it was started before the client was known', async () => {
  const { client, raw, wrap } = await wrapped(faultySettings(newFolder()))
  await raw({ id: 'early', method: 'tools/list' })
  expect(wrap.servers[0]?.upstream.ready?.greeting.era).toBe('session')
  await client('stateless')
  const agent = wrap.servers[0]?.upstream
  expect((await agent?.connection())?.greeting.era).toBe('stateless')
})

it('enforces the stateless rules in front of a session server', async () => {
  const { client, raw } = await wrapped(faultySettings(newFolder(), 'session'))
  await client('stateless')
  expect(await raw({ id: 'r', method: 'tools/list', params: {} })).toContain('"code":-32602')
})

it('asks a stateless client all questions that a session server asks at once', async () => {
  const { client } = await wrapped(programSettings([process.execPath, ASKING_SERVER, 'session']))
  const agent = await client('stateless', { capabilities: { elicitation: {} } })
  let asked = 0
  agent.setRequestHandler('elicitation/create', () => ({
    action: 'accept',
    content: { name: `Ada ${++asked}` },
  }))
  expect(textOf(await agent.callTool({ name: 'ask_at_once', arguments: {} }))).toBe('Ada 1 and Ada 2')
})

it('renews subscriptions at a session server after a restart', async () => {
  const folder = newFolder()
  const { client, pipes } = await wrapped(faultySettings(folder, 'session'))
  const agent = await client('stateless')
  const params = { notifications: { resourceSubscriptions: ['a://b'] }, ...meta() }
  pipes.toWrap.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 's', method: 'subscriptions/listen', params })}\n`,
  )
  await expect.poll(() => linesOf(folder, 'subscribed')).toEqual(['a://b'])
  await agent.callTool(CALL('write', 'x', 'die_before'))
  await agent.callTool(CALL('write', 'y'))
  await expect.poll(() => linesOf(folder, 'subscribed')).toEqual(['a://b', 'a://b'])
})

it('forwards log messages to a stateless client only if it asks for them', async () => {
  const folder = newFolder()
  const { client, raw, lines } = await wrapped(faultySettings(folder, 'session'))
  await client('stateless')
  const logged = () => lines.filter(line => line.includes('notifications/message'))
  await raw({ id: 1, method: 'tools/call', params: { ...CALL('write', 'silent', 'log'), ...meta() } })
  expect(logged()).toEqual([])
  const asking = meta({ 'io.modelcontextprotocol/logLevel': 'debug' })
  await raw({ id: 2, method: 'tools/call', params: { ...CALL('write', 'told', 'log'), ...asking } })
  expect(logged()).toHaveLength(1)
  await expect.poll(() => linesOf(folder, 'levels')).toEqual(['debug'])
})

it('cancels a call at the server if its client gives up while it is asked something', async () => {
  const file = join(newFolder(), 'given-up')
  const { client, raw, pipes } = await wrapped(
    programSettings([process.execPath, ASKING_SERVER, 'session', file]),
  )
  await client('stateless', { capabilities: { elicitation: {} } })
  const params = { name: 'ask_and_wait', arguments: {}, ...meta() }
  const { result } = JSON.parse(await raw({ id: 1, method: 'tools/call', params }))
  expect(result.resultType).toBe('input_required')
  const inputResponses = { input: { action: 'accept', content: { name: 'Ada' } } }
  const again = { ...params, requestState: result.requestState, inputResponses }
  const say = (message: object) => pipes.toWrap.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  say({ id: 2, method: 'tools/call', params: again })
  say({ method: 'notifications/cancelled', params: { requestId: 2 } })
  await expect.poll(() => existsSync(file)).toBe(true)
})

it('sends a queued call after a restart if the server no longer reads', async () => {
  const folder = newFolder()
  const { client, wrap } = await wrapped(faultySettings(folder))
  const agent = await client('session')
  await agent.callTool(CALL('write', 'x', 'deaf'))
  const call = { tool: 'write', arguments: { id: 'y' } }
  expect(textOf(await wrap.servers[0]?.perform(call, new AbortController().signal))).toBe('done y')
  expect(linesOf(folder, 'effects')).toEqual(['x', 'y'])
})

it('learns which tools may be repeated once the server is up', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'exit'), '')
  const { raw } = await wrapped(faultySettings(folder))
  const call = (id: string, fault?: string) => ({ id, method: 'tools/call', params: CALL('read', id, fault) })
  expect(await raw(call('early'))).toContain('exited with code 1 before it was ready')
  unlinkSync(join(folder, 'exit'))
  expect(await raw(call('late', 'die_after'))).toContain('done late')
})

it('knows the tools on every page of the list, even after a restart', async () => {
  const folder = newFolder()
  const data = newFolder()
  writeFileSync(join(folder, 'pages'), '')
  const first = await startWrap(data, [faultySettings(folder)])
  wraps.push(first)
  const signal = new AbortController().signal
  expect(await first.wrap.servers[0]?.tools(signal)).toContain('on_second_page')
  const second = await startWrap(data, [faultySettings(folder)])
  wraps.push(second)
  expect(second.wrap.servers[0]?.policyOf('on_second_page').retry).toBe('replay')
})
