import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUILT_COMMAND } from '../../../../test/cli/command.ts'
import { Site } from '../../../../test/cli/daemon.ts'
import { runCommand } from '../../../../test/cli/terminal.ts'
import { tokenOf } from '../../../gateway/http/token-files.ts'

const CONFIG = `
[queue]
budget = "1s"
modules = ["./work.js"]

[[capability]]
name = "hello"
description = "Says hello"
argv = ["echo", "hello {name}"]
retry = "replay"
params.name = { type = "string" }

[[capability]]
name = "wait"
argv = ["sh", "wait.sh", "{file}"]
retry = "none"
params.file = { type = "string" }
`

const MODULE = `
let tries = 0
export const noisy = capability('noisy', () => { console.log('this must not reach the client'); return 'quiet' })
export const limited = capability('limited', () => {
  if (tries++ === 0) throw Object.assign(new Error('429 too many requests'), { status: 429, headers: { 'retry-after': '3600' } })
  return 'at last'
})
`

let site: Site
const children: ChildProcess[] = []

beforeAll(() => {
  site = new Site()
  site.module('work.js', MODULE)
  site.file('wait.sh', 'echo $$ > "$1"\nexec sleep 60\n')
  site.configure(CONFIG)
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await site.close()
})

const stdio = (...flags: string[]) => ({
  command: process.execPath,
  args: [BUILT_COMMAND, 'mcp', ...flags],
  cwd: site.folder,
  env: { ...site.env },
  stderr: 'ignore' as const,
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON
type Json = any

/** What all clients can do. */
interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Json>
  close(): Promise<void>
}

const info = { name: 'tester', version: '1' }
const modern = () => new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })

const CLIENTS: Record<
  string,
  (to: 'stdio' | { url: string; headers: Record<string, string> }) => Promise<AnyClient>
> = {
  'the v2 client on 2026-07-28': async to => {
    const client = modern()
    await client.connect(to === 'stdio' ? new StdioClientTransport(stdio()) : httpOf(to))
    return client
  },
  'the v2 client on 2025-11-25': async to => {
    const client = new Client(info)
    await client.connect(to === 'stdio' ? new StdioClientTransport(stdio()) : httpOf(to))
    return client
  },
  'the v1 client': async to => {
    const client = new ClientV1(info, { capabilities: { roots: {} } })
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///home/you/project' }] }))
    await client.connect(
      (to === 'stdio'
        ? new StdioV1(stdio())
        : new HttpV1(new URL(to.url), { requestInit: { headers: to.headers } })) as never,
    )
    return client as unknown as AnyClient
  },
}

function httpOf({ url, headers }: { url: string; headers: Record<string, string> }) {
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
}

/** Every client looks around, runs something that works and something that must wait, and finds the result. */
async function goThrough(client: AnyClient, key: string): Promise<void> {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('operation_action')
  const call = async (name: string, given: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: given })).structuredContent as Json
  expect((await call('capabilities', { query: 'hello' })).capabilities[0]).toMatchObject({ name: 'hello' })
  expect(await call('run', { capability: 'hello', params: { name: key } })).toMatchObject({
    outcome: 'done',
    result: `hello ${key}`,
  })
  const refused = await client.callTool({ name: 'run', arguments: { capabilty: 'hello' } })
  expect(refused).toMatchObject({
    isError: true,
    content: [
      { text: expect.stringContaining('arguments.capabilty: unknown name; did you mean capability?') },
    ],
  })
  await expect(client.callTool({ name: 'rnu', arguments: {} })).rejects.toThrow('Tool rnu not found')
}

describe.each(Object.entries(CLIENTS))('%s', (name, connect) => {
  it('works with mulligan mcp on stdio', async () => {
    const client = await connect('stdio')
    await goThrough(client, name)
    const { structuredContent } = await client.callTool({ name: 'status', arguments: {} })
    const where = name === 'the v1 client' ? 'project' : 'mulligan-site-'
    expect(structuredContent.session).toMatch(new RegExp(`^tester:${where}`))
    await client.close()
  })

  it('works with the daemon at /mcp', async () => {
    const { url, headers } = await daemon()
    const client = await connect({ url, headers: { ...headers, 'mulligan-session': 'over-http' } })
    await goThrough(client, name)
    const { structuredContent } = await client.callTool({ name: 'status', arguments: {} })
    expect(structuredContent.session).toBe('over-http')
    await client.close()
  })
})

let running:
  | Promise<{
      url: string
      headers: Record<string, string>
      readOnly: Record<string, string>
      advance: (ms: number) => void
    }>
  | undefined
function daemon() {
  running ??= (async () => {
    const served = await site.serveWithClock('--http-port', '0')
    const { url } = served.lines.find(line => line.url !== undefined) as { url: string }
    const data = join(site.folder, '.local', 'state', 'mulligan')
    const bearer = (access: 'full' | 'read_only') => ({ authorization: `Bearer ${tokenOf(data, access)}` })
    return {
      url: `${url}/mcp`,
      headers: bearer('full'),
      readOnly: bearer('read_only'),
      advance: ms => served.advance(ms),
    }
  })()
  return running
}

describe('the daemon at /mcp', () => {
  it('names the token by which an agent changed something, whatever its client says', async () => {
    const { url, headers } = await daemon()
    const client = modern()
    await client.connect(httpOf({ url, headers: { ...headers, 'mulligan-caller': 'somebody else' } }))
    const run = (key: string) =>
      client.callTool({ name: 'run', arguments: { capability: 'hello', params: { name: key }, key } })
    const id = ((await run('first')).structuredContent as { operation_id: string }).operation_id
    // The newest operation of all is kept.
    await run('second')
    const filter = { capability: ['hello'] }
    await client.callTool({ name: 'operation_action', arguments: { action: 'discard', filter } })
    await client.callTool({ name: 'operation_action', arguments: { action: 'discard', id } })
    await client.close()
    const answer = await fetch(new URL('/v1/audit', url), { headers })
    const { changes } = (await answer.json()) as { changes: { via: string }[] }
    const own = changes.filter(({ via }) => via === 'mcp')
    expect(own).toMatchObject([
      {
        action: 'operation_action discard',
        subject: id,
        by: expect.stringMatching(/^agent .* by the full token$/),
      },
    ])
  })

  it('offers only reading tools for the read-only token, and nothing without a token', async () => {
    const { url, readOnly, headers } = await daemon()
    const client = modern()
    await client.connect(httpOf({ url, headers: readOnly }))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'status',
      'operations',
      'inbox',
      'unknowns',
      'capabilities',
      'workflow',
    ])
    await expect(client.callTool({ name: 'run', arguments: { capability: 'hello' } })).rejects.toThrow(
      'not found',
    )
    await client.close()
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const ask = (more: Record<string, string>) =>
      fetch(url, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...more,
        },
      })
    expect((await ask({})).status).toBe(401)
    expect((await ask({ ...headers, origin: 'http://evil.example' })).status).toBe(403)
    expect((await ask({ ...headers, 'mulligan-session': 'two words' })).status).toBe(400)
    expect((await fetch(url, { headers })).status).toBe(405)
  })

  it('offers only reading tools to a signed-in browser, because no MCP client sends its CSRF value', async () => {
    const { url, headers } = await daemon()
    const base = url.replace(/\/mcp$/, '')
    const post = (path: string, more: Record<string, string>, body: object) =>
      fetch(`${base}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...more,
        },
      })
    const { code } = (await (await post('/v1/sign_in_codes', headers, {})).json()) as { code: string }
    const signedIn = await post('/v1/sign_in', {}, { code })
    const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const text = await (await post('/mcp', { cookie }, list)).text()
    expect(text).toContain('"status"')
    expect(text).not.toContain('"operation_action"')
  })

  it.each([
    ['no JSON', '{"jsonrpc":', 400],
    [
      'deep nesting',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`,
      400,
    ],
    ['a batch of nonsense', '[1,2,3]', 400],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"tools/explode"}', 200],
  ])('answers %s, and goes on', async (_what, body, status) => {
    const { url, headers } = await daemon()
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    })
    expect(response.status).toBe(status)
    expect(await response.text()).toMatch(/error|malformed|invalid/i)
  })
})

/** A `mulligan mcp` process for raw messages. */
function byHand(...flags: string[]) {
  return byHandIn({ ...site.env }, ...flags)
}

function byHandIn(env: Record<string, string>, ...flags: string[]) {
  const { command, args, cwd } = stdio(...flags)
  const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] })
  children.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const errors: string[] = []
  child.stderr.on('data', chunk => errors.push(String(chunk)))
  const ask = async (message: object): Promise<Json> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    return JSON.parse((await lines.next()).value as string)
  }
  const greet = () =>
    ask({
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info },
    })
  const callTool = async (name: string, given: object) =>
    (await ask({ id: 1, method: 'tools/call', params: { name, arguments: given } })).result
  return { child, ask, greet, callTool, lines, errors }
}

describe('mulligan mcp', () => {
  it('ends with everything it started when its client vanishes', async () => {
    const { child, greet, callTool } = byHand('--no-runner')
    await greet()
    const file = join(site.folder, 'pid')
    const { structuredContent } = await callTool('run', {
      capability: 'wait',
      params: { file },
      wait_ms: 500,
    })
    expect(structuredContent).toMatchObject({ outcome: 'running' })
    const pid = Number(readFileSync(file, 'utf8'))
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    child.stdin.end()
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
    expect(existsSync(`/proc/${pid}`)).toBe(false)
  })

  it('runs nothing from an untrusted config, and says so', async () => {
    const { MULLIGAN_CONFIG: _config, ...env } = site.env
    const data = join(site.folder, 'untrusted')
    const { greet, callTool, errors, child } = byHandIn(env, '--data', data)
    await greet()
    const { structuredContent } = await callTool('run', {
      capability: 'hello',
      params: { name: 'x' },
      wait_ms: 100,
    })
    expect(structuredContent).toMatchObject({ outcome: 'queued', has_runner: false })
    expect(errors.join('')).toContain('not trusted')
    child.stdin.end()
  })

  it('keeps output of capabilities off its stdout', async () => {
    const { greet, callTool, errors, child } = byHand('--no-runner')
    await greet()
    const { structuredContent } = await callTool('run', { capability: 'noisy' })
    expect(structuredContent).toMatchObject({ outcome: 'done', result: 'quiet' })
    await expect.poll(() => errors.join('')).toContain('this must not reach the client')
    child.stdin.end()
  })

  it('answers garbage with an error and continues', async () => {
    const { child, greet, lines, callTool } = byHand('--read-only')
    child.stdin.write('this is no JSON\n')
    expect(JSON.parse((await lines.next()).value as string)).toMatchObject({
      id: null,
      error: { code: -32700 },
    })
    await greet()
    expect((await callTool('status', {})).structuredContent).toMatchObject({ retry_queue: { queued: 0 } })
    child.stdin.end()
    expect((await once(child, 'exit'))[0]).toBe(0)
  })

  it('tells an agent about a limit; the agent continues and finds the result in its inbox', async () => {
    const { url, headers, advance } = await daemon()
    const client = modern()
    await client.connect(httpOf({ url, headers: { ...headers, 'mulligan-session': 'patient' } }))
    const call = async (name: string, given: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: given })).structuredContent as Json
    const queued = await call('run', { capability: 'limited' })
    expect(queued).toMatchObject({ outcome: 'queued', queued_for_retry: true, has_runner: true })
    const { operation_id: id } = queued
    advance(3_601_000)
    expect((await call('operations', { id, wait_ms: 20_000 })).operation).toMatchObject({
      state: 'succeeded',
    })
    expect((await call('inbox', {})).notices).toMatchObject([
      { event: 'succeeded', operation: id, preview: 'at last' },
    ])
    await client.close()
  })

  it.each([
    [['--read-only', '--as-person'], '--read-only excludes'],
    [['serve'], 'unknown command "mcp serve"'],
    [['--readonly'], 'unknown option --readonly; did you mean --read-only?'],
    [['--session', 'two words'], '--session takes the name of a session without spaces'],
  ])('answers %j with what would be right', async (flags, told) => {
    const { code, stderr } = await runCommand(['mcp', ...flags])
    expect(code).toBe(2)
    expect(stderr).toContain(told)
  })
})
