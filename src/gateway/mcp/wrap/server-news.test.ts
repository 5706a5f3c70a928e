import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type HttpExchange, httpServer } from '../../../../test/gateway/mcp/wrap/http-server.ts'
import { programSettings, startWrap, type TestWrap } from '../../../../test/gateway/mcp/wrap/wrap.ts'
import { realTime, type Time } from '../../../time/time.ts'
import type { UpstreamSettings } from './upstream-settings.ts'

const closing: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Waits are over soon. */
const FAST: Time = { ...realTime, after: (ms, callback) => realTime.after(ms / 100, callback) }

async function wrapOf(target: UpstreamSettings['target']): Promise<TestWrap> {
  const data = mkdtempSync(join(tmpdir(), 'mulligan-server-news-'))
  const wrap = await startWrap(data, [{ ...programSettings(['none']), target, startTimeoutMs: 6_000_000 }], {
    time: FAST,
  })
  closing.push(
    () => rmSync(data, { recursive: true, force: true }),
    () => wrap.close(),
  )
  return wrap
}

const LISTEN = {
  method: 'subscriptions/listen',
  params: {
    notifications: { toolsListChanged: true },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}

/** Opens the stream of a subscription, and acknowledges it. */
function acknowledge({ id, response }: HttpExchange): void {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  say(response, 'notifications/subscriptions/acknowledged', { notifications: {}, _meta })
}

function say(response: ServerResponse, method: string, params: object): void {
  response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`)
}

it.each(['session', 'stateless'] as const)(
  'renews a subscription whose stream was cut, for a %s client',
  async era => {
    let streams = 0
    const server = await httpServer('stateless', exchange => {
      if (exchange.method !== LISTEN.method) return false
      acknowledge(exchange)
      if (++streams < 3) exchange.response.end()
      else {
        const _meta = { 'io.modelcontextprotocol/subscriptionId': exchange.id }
        say(exchange.response, 'notifications/tools/list_changed', { _meta })
      }
      return true
    })
    closing.push(server.close)
    const wrap = await wrapOf({ by: 'http', url: server.url, headers: {} })
    await wrap.client(era)
    const message = { jsonrpc: '2.0', id: 's', ...LISTEN }
    if (era === 'stateless') wrap.pipes.toWrap.write(`${JSON.stringify(message)}\n`)
    const heard = (what: string) => wrap.lines.filter(line => line.includes(what))
    await expect.poll(() => heard('tools/list_changed')).toHaveLength(1)
    expect(streams).toBe(3)
    expect(heard('subscriptions/acknowledged')).toHaveLength(era === 'stateless' ? 1 : 0)
  },
)

it('tells a client that the server refuses its subscription', async () => {
  const server = await httpServer('stateless', ({ method, response }) => {
    if (method !== LISTEN.method) return false
    response.writeHead(403).end('not for you')
    return true
  })
  closing.push(server.close)
  const wrap = await wrapOf({ by: 'http', url: server.url, headers: {} })
  await wrap.client('stateless')
  const { error } = JSON.parse(await wrap.raw({ id: 's', ...LISTEN }))
  expect(error).toMatchObject({ code: -32000, data: { mulligan: { failure: { status: 403 } } } })
})

it('passes on the end of a subscription after a restart', async () => {
  const program = `let lives = require('node:fs'); const file = process.argv[1]
  const life = lives.existsSync(file) ? 2 : 1
  lives.writeFileSync(file, '')
  const say = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
  require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    const { id, method } = JSON.parse(line)
    const kept = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    if (method === 'server/discover') say({ id, result: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...kept } })
    else if (method === 'tools/list') say({ id, result: { tools: [], ...kept } })
    // A slow start is greeted in the older way too. A server that took that would have no subscriptions.
    else if (method === 'initialize') say({ id, error: { code: -32601, message: 'Method not found' } })
    else if (method === 'subscriptions/listen' && life === 1) process.exit(1)
    else if (method === 'subscriptions/listen') say({ id, result: { resultType: 'complete', ended: true } })
    else if (id !== undefined) say({ id, result: kept })
  })`
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-server-news-'))
  closing.push(() => rmSync(folder, { recursive: true, force: true }))
  const { target } = programSettings([process.execPath, '-e', program, join(folder, 'lived')])
  const wrap = await wrapOf(target)
  const agent = await wrap.client('stateless')
  const ready = () => wrap.wrap.servers[0]?.upstream.ready
  const first = ready()
  expect(first).toBeDefined()
  let isOver = false
  const ended = wrap.raw({ id: 's', ...LISTEN }).finally(() => {
    isOver = true
  })
  // It may be ready again, and have passed on the end, before anybody looks.
  await expect.poll(() => isOver || ready() !== first).toBe(true)
  await agent.listTools()
  expect(JSON.parse(await ended).result).toMatchObject({ ended: true })
})
