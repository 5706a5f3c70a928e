import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type HttpExchange, httpServer } from '../../../../test/gateway/mcp/wrap/http-server.ts'
import {
  faultySettings,
  programSettings,
  startWrap,
  type TestWrap,
} from '../../../../test/gateway/mcp/wrap/wrap.ts'
import type { UpstreamSettings } from './upstream-settings.ts'

const closing: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-no-answer-'))
  closing.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function wrapOf(settings: UpstreamSettings): Promise<TestWrap> {
  const wrap = await startWrap(newFolder(), [settings])
  closing.push(() => wrap.close())
  return wrap
}

async function overHttp(
  handle: (exchange: HttpExchange) => boolean,
  more: Partial<UpstreamSettings> = {},
): Promise<TestWrap> {
  const server = await httpServer('session', handle)
  closing.push(server.close)
  const target = { by: 'http' as const, url: server.url, headers: {} }
  return wrapOf({ ...programSettings(['none']), name: 'remote', target, ...more })
}

const textOf = (answer: unknown) => (answer as { content: { text: string }[] }).content[0]?.text

it('does not wait any longer after an invalid answer', async () => {
  const { client } = await wrapOf(faultySettings(newFolder()))
  const agent = await client('session')
  const answer = await agent.callTool({ name: 'write', arguments: { id: 'x', fault: 'no_result' } })
  expect(textOf(answer)).toMatch(
    /^MCP server "faulty" sent an answer that is no message \(.*\) during write.*may have happened/s,
  )
  const again = await agent.callTool({ name: 'read', arguments: { id: 'y', fault: 'no_result' } })
  expect(textOf(again)).toBe('done y')
})

it('repeats only safe calls after an HTTP response without the answer', async () => {
  let calls = 0
  const handle = ({ method, response, answer }: HttpExchange) => {
    if (method !== 'tools/call') return false
    if (++calls === 2) answer({ content: [{ type: 'text', text: 'done' }] })
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"jsonrpc":"2.0","id":"other","result":{}}')
    return true
  }
  const safe = await (await overHttp(handle, { tools: { work: { retry: 'replay' } } })).client('session')
  expect(textOf(await safe.callTool({ name: 'work', arguments: {} }))).toBe('done')
  const unsafe = await (await overHttp(handle)).client('session')
  expect(await unsafe.callTool({ name: 'work', arguments: {} })).toMatchObject({
    content: [
      { text: expect.stringMatching(/sent a response without the answer during work.*may have happened/s) },
    ],
    _meta: { mulligan: { failure: { class: 'transient', kind: 'bad_json', effect: 'maybe' } } },
  })
  expect(calls).toBe(3)
})

it('suggests that a URL is wrong if it answers with a web page', async () => {
  const { raw } = await overHttp(({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')
    return true
  })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  const { error } = JSON.parse(await raw({ id: 1, method: 'initialize', params }))
  expect(error.message).toBe(
    'MCP server "remote" answered with text/html instead of JSON; is the address right?',
  )
})

it('ignores the late answer to a cancelled call', async () => {
  const { client, notes, pipes, lines } = await wrapOf(faultySettings(newFolder()))
  const agent = await client('session')
  const say = (message: object) => pipes.toWrap.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const params = { name: 'write', arguments: { id: 'late', fault: 'progress' }, _meta: { progressToken: 1 } }
  say({ id: 50, method: 'tools/call', params })
  await expect.poll(() => lines.some(line => line.includes('"progress":1'))).toBe(true)
  say({ method: 'notifications/cancelled', params: { requestId: 50 } })
  await expect.poll(() => lines.some(line => line.includes('"progress":5'))).toBe(true)
  await agent.callTool({ name: 'write', arguments: { id: 'after' } })
  expect(notes).toEqual([])
})

it('reads an answer in a batch, which revision 2025-03-26 allows', async () => {
  const { client } = await wrapOf(faultySettings(newFolder()))
  const agent = await client('session')
  expect(textOf(await agent.callTool({ name: 'write', arguments: { id: 'x', fault: 'batch' } }))).toBe(
    'done x',
  )
})

it('passes on a deeply nested error, and says that the call may have happened', async () => {
  const { raw, client } = await wrapOf(faultySettings(newFolder()))
  await client('session')
  const params = { name: 'write', arguments: { id: 'x', fault: 'deep_error' } }
  const answer = await raw({ id: 9, method: 'tools/call', params })
  expect(answer).toContain('['.repeat(100_000))
  expect(answer).toContain('"effect":"maybe"')
  expect(answer).toContain('may have happened: check')
})

it('does not mention earlier output of the server in later failures', async () => {
  const { client } = await wrapOf(faultySettings(newFolder(), 'both', { timeoutMs: 500 }))
  const agent = await client('session')
  const failed = async (fault: string) =>
    textOf(await agent.callTool({ name: 'write', arguments: { id: fault, fault } }))
  expect(await failed('wrong_id')).toContain(
    'did not answer within 500 ms to write; it answered "somebody-else"',
  )
  expect(await failed('hang')).not.toContain('somebody-else')
})
