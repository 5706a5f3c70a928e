import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import {
  faultySettings,
  programSettings,
  startWrap,
  type TestWrap,
} from '../../../../test/gateway/mcp/wrap/wrap.ts'

const base = mkdtempSync(join(tmpdir(), 'mulligan-bad-input-'))
let folders = 0
const started: TestWrap[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map(wrap => wrap.close()))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

async function wrapped(env: Record<string, string>, more: object = {}): Promise<TestWrap> {
  const folder = join(base, `${++folders}`)
  const wrap = await startWrap(join(folder, 'data'), [faultySettings(folder, 'both', { env, ...more })])
  started.push(wrap)
  return wrap
}

const HELLO = {
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const textOf = (answer: unknown) => (answer as { content: { text: string }[] }).content[0]?.text

it('names a server that exits at once, with its last lines and without its secrets', async () => {
  const { raw } = await wrapped({ FAULT_START: 'exit' })
  const { error } = JSON.parse(await raw(HELLO))
  expect(error.message).toBe(
    'MCP server "faulty" exited with code 1 before it was ready; its last lines on stderr:\nfaulty server: cannot find its database, token=***REDACTED***',
  )
})

it('names a server that hangs in the handshake', async () => {
  const { raw } = await wrapped({ FAULT_START: 'hang' }, { startTimeoutMs: 300 })
  expect(JSON.parse(await raw(HELLO)).error.message).toContain(
    '"faulty" did not start: it did not answer within 300 ms',
  )
})

it('tolerates a server that logs to stdout, and says so once', async () => {
  const { client, notes } = await wrapped({ FAULT_START: 'garbage' })
  const agent = await client('session')
  expect(textOf(await agent.callTool({ name: 'write', arguments: { id: 'x', fault: 'garbage' } }))).toBe(
    'done x',
  )
  expect(notes).toEqual([
    'faulty: it printed something on stdout that is no JSON: Welcome to the faulty server!',
  ])
})

it('refuses invalid messages and continues', async () => {
  const { pipes, raw, lines } = await wrapped({})
  await raw(HELLO)
  pipes.toWrap.write('no json\n[1,2]\n{"jsonrpc":"2.0"}\n{"jsonrpc":"2.0","id":{},"method":"x"}\n')
  pipes.toWrap.write(Buffer.from([0xff, 0xfe, 0x0a]))
  pipes.toWrap.write(`${'['.repeat(200_000)}\n`)
  await raw({ id: 'after', method: 'ping' })
  const refused = lines.flatMap(line =>
    line.includes('no message of JSON-RPC') ? [JSON.parse(line).error.code] : [],
  )
  expect(refused).toEqual([-32700, -32600, -32600, -32600, -32700, -32700])
})

it('answers both of two calls with the same id', async () => {
  const { pipes, raw, lines } = await wrapped({})
  await raw(HELLO)
  const call = (id: string, fault: string) => ({
    jsonrpc: '2.0',
    id: 'same',
    method: 'tools/call',
    params: { name: 'write', arguments: { id, fault } },
  })
  pipes.toWrap.write(`${JSON.stringify(call('slow', 'progress'))}\n${JSON.stringify(call('fast', 'none'))}\n`)
  const answers = () =>
    lines.filter(line => line.includes('"same"')).map(line => textOf(JSON.parse(line).result))
  await expect.poll(answers).toEqual(['done fast', 'done slow'])
})

it('passes on a message of 50 MB and deep nesting, in both directions', async () => {
  const { raw } = await wrapped({})
  await raw(HELLO)
  const large = 'x'.repeat(50_000_000)
  const answer = await raw({ id: 'large', method: 'future/method', params: { large } })
  expect(answer.length).toBeGreaterThan(50_000_000)
  let deep: unknown = 1
  for (let depth = 0; depth < 2_000; depth++) deep = [deep]
  const nested = await raw({ id: 'deep', method: 'future/method', params: { deep } })
  expect(nested).toContain('['.repeat(2_000))
})

it('survives invalid UTF-8', async () => {
  const { raw, pipes } = await wrapped({})
  await raw(HELLO)
  pipes.toWrap.write(
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":"bytes","method":"future/method","params":{"a":"'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('"}}\n'),
    ]),
  )
  expect(await raw({ id: 'after', method: 'ping' })).toContain('"after"')
})

it('stops reading from a server that floods while its client reads nothing', async () => {
  const flood = `process.stdin.on('data', line => {
    const { id, method } = JSON.parse(line)
    if (method === 'initialize') process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'flood', version: '1' } } }) + '\\n')
    else if (method === 'notifications/initialized') {
      const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { data: 'x'.repeat(10_000) } }) + '\\n'
      const write = () => { while (process.stdout.write(line)); process.stdout.once('drain', write) }
      write()
    }
  })`
  const data = join(base, 'flood')
  const wrap = await startWrap(data, [programSettings([process.execPath, '-e', flood])])
  started.push(wrap)
  const { pipes } = wrap
  pipes.fromWrap.pause()
  pipes.toWrap.write(`${JSON.stringify({ jsonrpc: '2.0', ...HELLO })}\n`)
  await expect.poll(() => pipes.fromWrap.writableLength).toBeGreaterThan(10_000)
  const held = pipes.fromWrap.writableLength
  // A server that is not held up writes a gigabyte in this time.
  await new Promise(resolve => setTimeout(resolve, 300))
  expect(pipes.fromWrap.writableLength).toBeLessThan(held + 10_000_000)
  pipes.fromWrap.resume()
})
