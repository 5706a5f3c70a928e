import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  FAULTY_SERVER,
  programSettings,
  startWrap,
  type TestWrap,
} from '../../../../test/gateway/mcp/wrap/wrap.ts'
import type { Era } from '../era.ts'
import type { UpstreamSettings } from './upstream-settings.ts'

const base = mkdtempSync(join(tmpdir(), 'mulligan-http-link-'))
const children: ChildProcess[] = []
const wraps: TestWrap[] = []
let url: string
let folders = 0

beforeAll(async () => {
  const child = spawn(process.execPath, [FAULTY_SERVER, join(base, 'server'), 'both', 'http'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  children.push(child)
  const port = await new Promise<string>(resolve => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', resolve)
  })
  url = `http://127.0.0.1:${port}/mcp`
})
afterEach(async () => {
  await Promise.all(wraps.splice(0).map(wrap => wrap.close()))
})
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(base, { recursive: true, force: true })
})

async function wrapped(address: string, more: Partial<UpstreamSettings> = {}): Promise<TestWrap> {
  const target = { by: 'http' as const, url: address, headers: { 'x-test': '1' } }
  const settings = { ...programSettings(['none']), name: 'remote', target, ...more }
  const wrap = await startWrap(join(base, `data-${++folders}`), [settings])
  wraps.push(wrap)
  return wrap
}

const textOf = (answer: unknown) => (answer as { content: { text: string }[] }).content[0]?.text
const call = (tool: string, id: string, fault = 'none') => ({ name: tool, arguments: { id, fault } })
const effectsOf = (id: string) => {
  const file = join(base, 'server', 'effects')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return lines.filter(line => line === id).length
}

describe.each<Era>(['session', 'stateless'])('a server over HTTP, for a client of the era %s', era => {
  it('is called, shows progress, and gets refused calls again', async () => {
    const agent = await (await wrapped(url)).client(era)
    expect(textOf(await agent.callTool(call('write', `${era}-a`)))).toBe(`done ${era}-a`)
    const steps: number[] = []
    const onprogress = ({ progress }: { progress: number }) => void steps.push(progress)
    await agent.callTool(call('write', `${era}-p`, 'progress'), { onprogress })
    expect(steps).toEqual([1, 2, 3, 4, 5])
    expect(textOf(await agent.callTool(call('write', `${era}-b`, 'status_429')))).toBe(`done ${era}-b`)
    expect(effectsOf(`${era}-b`)).toBe(1)
  })

  it('may have carried out a call whose connection broke, but none that needs a login', async () => {
    const agent = await (await wrapped(url)).client(era)
    expect(textOf(await agent.callTool(call('write', `${era}-c`, 'cut')))).toMatch(
      /broke the connection .*may have happened/,
    )
    expect(effectsOf(`${era}-c`)).toBe(1)
    expect(textOf(await agent.callTool(call('write', `${era}-e`, 'status_500')))).toContain(
      'may have happened',
    )
    expect(textOf(await agent.callTool(call('write', `${era}-f`, 'status_409')))).toContain(
      'may have happened',
    )
    expect(effectsOf(`${era}-f`)).toBe(1)
    expect(textOf(await agent.callTool(call('write', `${era}-d`, 'status_401')))).toMatch(
      /was not carried out\. A person must log in/,
    )
  })
})

it("treats an error about a session as the tool's answer if it has the id of the request", async () => {
  const agent = await (await wrapped(url)).client('session')
  await expect(agent.callTool(call('write', 'in-session', 'status_400'))).rejects.toThrow('session is open')
  expect(effectsOf('in-session')).toBe(1)
})

it('sends the headers that a tool asks for, if the era has them', async () => {
  const agent = await (await wrapped(url)).client('stateless')
  await agent.callTool({ name: 'find', arguments: { id: 'in a header' } })
  await agent.callTool({ name: 'find', arguments: { id: 'größe' } })
  const old = await (await wrapped(url)).client('session')
  await old.callTool({ name: 'find', arguments: { id: 'not in a header' } })
  const base64 = Buffer.from('größe').toString('base64')
  expect(readFileSync(join(base, 'server', 'headers'), 'utf8')).toBe(`in a header\n=?base64?${base64}?=\n`)
})

it('names a server that cannot be reached', async () => {
  const port = await freePort()
  const { raw } = await wrapped(`http://127.0.0.1:${port}/mcp`)
  const hello = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  }
  const { error } = JSON.parse(await raw({ id: 1, method: 'initialize', params: hello }))
  expect(error.message).toMatch(/^MCP server "remote" could not be reached: .*ECONNREFUSED/)
})

it('keeps a session with the reference server, and starts another one when the server forgets it', async () => {
  const require = createRequire(import.meta.url)
  const port = await freePort()
  const program = join(
    dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
    'dist/index.js',
  )
  const start = async () => {
    const child = spawn(process.execPath, [program, 'streamableHttp'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PORT: `${port}` },
    })
    children.push(child)
    const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream })
    await new Promise<void>(resolve => lines.on('line', line => line.includes('listening') && resolve()))
    return child
  }
  const first = await start()
  const agent = await (await wrapped(`http://127.0.0.1:${port}/mcp`)).client('session')
  const sum = { name: 'get-sum', arguments: { a: 2, b: 3 } }
  expect(textOf(await agent.callTool(sum))).toBe('The sum of 2 and 3 is 5.')
  const long = { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 2 } }
  const steps: number[] = []
  await agent.callTool(long, { onprogress: ({ progress }) => void steps.push(progress) })
  expect(steps).toEqual([1, 2])
  const gone = new Promise(resolve => first.once('exit', resolve))
  first.kill('SIGKILL')
  await gone
  await start()
  expect(textOf(await agent.callTool(sum))).toBe('The sum of 2 and 3 is 5.')
})

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
