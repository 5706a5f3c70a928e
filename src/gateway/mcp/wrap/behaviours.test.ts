import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { afterEach, describe, expect, it } from 'vitest'
import {
  ASKING_SERVER,
  faultySettings,
  programSettings,
  startWrap,
  streamTransport,
  type TestWrap,
} from '../../../../test/gateway/mcp/wrap/wrap.ts'
import { MovableTime } from '../../../../test/time/movable-time.ts'
import type { Era } from '../era.ts'
import type { UpstreamSettings } from './upstream-settings.ts'

const folders: string[] = []
const wraps: TestWrap[] = []

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-wrap-'))
  folders.push(folder)
  return folder
}

async function wrapped(
  settings: UpstreamSettings | readonly UpstreamSettings[],
  options: Parameters<typeof startWrap>[2] & { data?: string } = {},
): Promise<TestWrap> {
  const { data = newFolder(), ...rest } = options
  const started = await startWrap(
    data,
    Array.isArray(settings) ? settings : [settings as UpstreamSettings],
    rest,
  )
  wraps.push(started)
  return started
}

afterEach(async () => {
  await Promise.all(wraps.splice(0).map(wrap => wrap.close()))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Its client is gone, and it with it. */
async function leave(wrap: TestWrap): Promise<void> {
  wraps.splice(wraps.indexOf(wrap), 1)
  await wrap.close()
}

function effects(folder: string, file = 'effects'): string[] {
  const path = join(folder, file)
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}

interface Answer {
  content: { type: string; text: string }[]
  isError?: boolean
  structuredContent?: unknown
  _meta?: Record<string, unknown>
}

const textOf = (answer: unknown) => (answer as Answer).content.map(({ text }) => text).join('\n')

/** The wait that the server asks for by the fault `throttled_long`. */
const A_MINUTE = 60_000
const metaOf = (answer: unknown) => (answer as Answer)._meta ?? {}

const CALL = (tool: string, id: string, fault = 'none') => ({ name: tool, arguments: { id, fault } })

/** Resolves with the next line that the client gets and that the test accepts. */
function nextLine({ pipes }: TestWrap, isWanted: (line: string) => boolean): Promise<string> {
  return new Promise(resolve => {
    const onData = (chunk: Buffer) => {
      const line = chunk.toString('utf8').split('\n').find(isWanted)
      if (line === undefined) return
      pipes.fromWrap.off('data', onData)
      resolve(line)
    }
    pipes.fromWrap.on('data', onData)
  })
}

describe('1. Both eras on both sides (old client with new server, and the reverse)', () => {
  const eras: Era[] = ['session', 'stateless']
  const pairs = eras.flatMap(client => eras.map(server => [client, server] as const))

  it.each(pairs)(
    'serves a client of the era %s from a server of the era %s',
    async (clientEra, serverEra) => {
      const folder = newFolder()
      const { client } = await wrapped(faultySettings(folder, serverEra))
      const agent = await client(clientEra)
      expect(effects(folder, 'starts')).toHaveLength(1)
      expect(agent.getServerVersion()).toMatchObject({ name: 'faulty', version: '1.0.0' })
      const { tools } = await agent.listTools()
      expect(tools.map(({ name }) => name)).toEqual([
        'write',
        'read',
        'put',
        'atomic',
        'find',
        'huge',
        'mulligan_result',
      ])
      expect(textOf(await agent.callTool(CALL('write', 'x')))).toBe('done x')
      expect(textOf(await agent.callTool(CALL('read', 'y', 'die_after')))).toBe('done y')
    },
  )

  it('serves a client of the v1 package', async () => {
    const { pipes } = await wrapped(faultySettings(newFolder()))
    const agent = new OldClient({ name: 'old', version: '1' })
    await agent.connect(streamTransport(pipes.toWrap, pipes.fromWrap) as never)
    expect(textOf(await agent.callTool(CALL('write', 'x')))).toBe('done x')
  })

  it.each(pairs)(
    'lets tools ask the client questions: client %s, server %s',
    async (clientEra, serverEra) => {
      const { client } = await wrapped(programSettings([process.execPath, ASKING_SERVER, serverEra]))
      const agent = await client(clientEra, { capabilities: { elicitation: {} } })
      const asked: unknown[] = []
      agent.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message)
        return { action: 'accept', content: { name: `Ada ${asked.length}` } }
      })
      const answer = textOf(await agent.callTool({ name: 'ask', arguments: {} }))
      expect(answer).toBe(serverEra === 'session' ? 'Ada 1 and Ada 2' : 'hello Ada 1')
      expect(asked).toContain('What is your name?')
    },
  )
})

describe('2. The tool list is answered from a cache at start and never shrinks while the upstream is down', () => {
  it('greets and lists tools from the cache at once, even if the server does not start', async () => {
    const data = newFolder()
    const folder = newFolder()
    const first = await wrapped(faultySettings(folder), { data })
    const before = await (await first.client('session')).listTools()
    await leave(first)
    writeFileSync(join(folder, 'hang'), '')
    const second = await wrapped(faultySettings(folder), { data })
    const began = performance.now()
    const agent = await second.client('session')
    expect(await agent.listTools()).toEqual(before)
    expect(performance.now() - began).toBeLessThan(2_000)
    expect(second.wrap.servers[0]?.upstream.ready).toBeUndefined()
  })

  it('notifies the client if the cached list is out of date', async () => {
    const data = newFolder()
    const folder = newFolder()
    const first = await wrapped(faultySettings(folder), { data })
    await (await first.client('session')).listTools()
    await leave(first)
    writeFileSync(join(folder, 'extra'), '')
    const second = await wrapped(faultySettings(folder), { data })
    const changed = nextLine(second, line => line.includes('notifications/tools/list_changed'))
    const agent = await second.client('session')
    const names = async () => (await agent.listTools()).tools.map(({ name }) => name)
    expect(await names()).not.toContain('extra')
    await changed
    expect(await names()).toContain('extra')
  })

  it('still lists all tools while the server is dead', async () => {
    const { client, wrap } = await wrapped(faultySettings(newFolder()))
    const agent = await client('session')
    const before = await agent.listTools()
    await agent.callTool(CALL('write', 'x', 'die_before'))
    expect(wrap.servers[0]?.upstream.ready).toBeUndefined()
    expect(await agent.listTools()).toEqual(before)
  })
})

describe('3. An upstream is started again on use, with backoff that never gives up; a failed login is not retried', () => {
  it('restarts the server on the next call after each death', async () => {
    const folder = newFolder()
    const { client } = await wrapped(faultySettings(folder))
    const agent = await client('session')
    for (const id of ['a', 'b', 'c']) {
      const died = await agent.callTool(CALL('write', `${id}-dies`, 'die_after'))
      expect(died).toMatchObject({ isError: true })
      expect(textOf(await agent.callTool(CALL('write', id)))).toBe(`done ${id}`)
    }
    expect(effects(folder)).toEqual(['a-dies', 'a', 'b-dies', 'b', 'c-dies', 'c'])
  })

  it('restores log level and subscriptions after a restart', async () => {
    const folder = newFolder()
    const { client, raw, pipes, lines } = await wrapped(faultySettings(folder))
    const agent = await client('session')
    await raw({ id: 'level', method: 'logging/setLevel', params: { level: 'error' } })
    const listen = { jsonrpc: '2.0', id: 'l', method: 'subscriptions/listen', params: { notifications: {} } }
    pipes.toWrap.write(`${JSON.stringify(listen)}\n`)
    await expect.poll(() => effects(folder, 'listens')).toEqual(['l'])
    await agent.callTool(CALL('write', 'x', 'die_before'))
    await agent.callTool(CALL('write', 'y'))
    await expect.poll(() => effects(folder, 'listens')).toEqual(['l', 'l'])
    expect(effects(folder, 'levels')).toEqual(['error', 'error'])
    expect(lines.filter(line => line.includes('acknowledged'))).toHaveLength(1)
  })

  it("says that a person must log in, with the server's own words", async () => {
    const folder = newFolder()
    const { client, notes } = await wrapped(faultySettings(folder, 'both', { env: { FAULT_START: 'login' } }))
    await expect(client('session')).rejects.toThrow(/not logged in/)
    expect(notes).toHaveLength(1)
    expect(effects(folder, 'starts')).toHaveLength(1)
  })
})

describe('4. A call is sent again only if it was not sent, was refused, is annotated read-only or idempotent, or was verified; otherwise the answer says that it may have happened', () => {
  it('repeats calls of tools annotated as read-only or idempotent', async () => {
    const folder = newFolder()
    const { client } = await wrapped(faultySettings(folder))
    const agent = await client('session')
    expect(textOf(await agent.callTool(CALL('read', 'r', 'die_after')))).toBe('done r')
    expect(textOf(await agent.callTool(CALL('put', 'p', 'die_after')))).toBe('done p')
    expect(effects(folder, 'reads')).toEqual(['r', 'r'])
  })

  it.each(['die_before', 'die_after', 'die_during'])(
    'says that a call may have happened after %s',
    async fault => {
      const folder = newFolder()
      const { client } = await wrapped(faultySettings(folder))
      const agent = await client('session')
      const answer = await agent.callTool(CALL('write', 'x', fault))
      expect(answer).toMatchObject({
        isError: true,
        _meta: {
          mulligan: {
            failure: { class: 'transient', effect: 'maybe' },
            verdict: { action: 'cancel', as: 'unverifiable' },
          },
        },
      })
      expect(textOf(answer)).toContain('exited with code 3 during write')
      expect(textOf(answer)).toContain('may have happened: check whether it did before you call write again')
      expect(textOf(answer)).not.toContain('sk-test-1234567890abcdefghij')
      expect(effects(folder).length).toBeLessThanOrEqual(1)
    },
  )

  it.each(['error_32000', 'error_32001', 'throttled'])(
    'does not repeat a tool without annotations after %s',
    async fault => {
      const folder = newFolder()
      const { raw, client } = await wrapped(faultySettings(folder))
      await client('session')
      const answer = await raw({ id: 900, method: 'tools/call', params: CALL('write', 'x', fault) })
      expect(answer).toContain('may have happened')
      expect(answer).toMatch(/"as":"(?:unverifiable|refused)"/)
      expect(effects(folder).length).toBeLessThanOrEqual(1)
    },
  )

  it('repeats a call of a tool whose errors, as the config declares, prove that nothing happened', async () => {
    const folder = newFolder()
    const { client } = await wrapped(faultySettings(folder, 'both', { tools: { atomic: { atomic: true } } }))
    const agent = await client('session')
    expect(textOf(await agent.callTool(CALL('atomic', 'x', 'throttled')))).toBe('done x')
    expect(effects(folder)).toEqual(['x'])
  })

  it('verifies with another tool if the config says how', async () => {
    const folder = newFolder()
    const verify = { tool: 'find', arguments: { id: '{id}' }, contains: 'found {id}' }
    const settings = faultySettings(folder, 'both', { tools: { write: { retry: 'verify_first', verify } } })
    const { client, queue } = await wrapped(settings)
    const agent = await client('session')
    const there = await agent.callTool(CALL('write', 'there', 'die_after'))
    expect(textOf(there)).toBe('write is done: its effect was found by find.')
    const absent = metaOf(await agent.callTool(CALL('write', 'absent', 'die_before')))
    expect(absent).toMatchObject({ queued_for_retry: true })
    await queue.retry(String(absent.operation_id))
    await queue.wait(String(absent.operation_id))
    expect(effects(folder)).toEqual(['there', 'absent'])
  })

  it('knows which calls may be repeated even if the client never listed the tools', async () => {
    const { client } = await wrapped(faultySettings(newFolder()))
    const agent = await client('session')
    const both = [agent.callTool(CALL('read', 'x')), agent.callTool(CALL('read', 'y', 'die_after'))]
    expect((await Promise.all(both)).map(textOf)).toEqual(['done x', 'done y'])
  })
})

describe('5. A throttled call becomes a durable task where the request declares tasks, else queued_for_retry with a handle and the inbox', () => {
  it('queues the call, says so, and returns the result later', async () => {
    const folder = newFolder()
    const time = new MovableTime()
    const { client } = await wrapped(faultySettings(folder), { time })
    const agent = await client('session')
    const queued = await agent.callTool(CALL('read', 'x', 'throttled_long'))
    expect(queued).toMatchObject({
      isError: true,
      _meta: { queued_for_retry: true, operation_id: expect.any(String), retry_at: expect.any(String) },
    })
    expect(queued.structuredContent).toBeUndefined()
    expect(textOf(queued)).toMatch(
      /^Not done yet: .*do not call read again.*call mulligan_result with operation_id/,
    )
    // The tool must not be called now; when it is, the server dies of this one.
    await agent.callTool(CALL('write', 'w', 'throttled_long'))
    const later = metaOf(await agent.callTool(CALL('write', 'y', 'die_after')))
    expect(later).toMatchObject({ queued_for_retry: true })
    const { operation_id } = metaOf(queued)
    const early = await agent.callTool({
      name: 'mulligan_result',
      arguments: { operation_id, wait_seconds: 0 },
    })
    expect(textOf(early)).toMatch(/^Not done yet: it runs at \S+Z \(.*429.*\)\. Continue with other work/)
    expect((early as Answer).isError).toBeFalsy()
    time.advance(A_MINUTE)
    const result = await agent.callTool({
      name: 'mulligan_result',
      arguments: { operation_id, wait_seconds: 10 },
    })
    expect(textOf(result)).toBe('done x')
    const unsure = { operation_id: later.operation_id, wait_seconds: 10 }
    const ended = await agent.callTool({ name: 'mulligan_result', arguments: unsure })
    expect(ended).toMatchObject({ isError: true, _meta: { queued_for_retry: false } })
    expect(textOf(ended)).toMatch(
      /^The queued call of write ended without a result: MCP server "faulty" exited with code 3 .*may have happened: check/s,
    )
    expect(effects(folder)).toEqual(['y'])
  })

  it('answers with a task if the request declares tasks', async () => {
    const time = new MovableTime()
    const { client, raw } = await wrapped(faultySettings(newFolder()), { time })
    await client('stateless')
    const meta = (extensions: object) => ({
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { extensions },
      },
    })
    const tasks = { 'io.modelcontextprotocol/tasks': {} }
    const call = { method: 'tools/call', params: { ...CALL('read', 'x', 'throttled_long'), ...meta(tasks) } }
    const { result } = JSON.parse(await raw({ id: 1, ...call }))
    expect(result).toMatchObject({ resultType: 'task', status: 'working', taskId: expect.any(String) })
    expect(result.pollIntervalMs).toBeGreaterThanOrEqual(1_000)
    const ask = { method: 'tasks/get', params: { taskId: result.taskId, ...meta(tasks) } }
    expect(JSON.parse(await raw({ id: 2, ...ask })).result).toMatchObject({ status: 'working' })
    const undeclared = { method: 'tools/call', params: { ...CALL('read', 'y'), ...meta({}) } }
    expect(JSON.parse(await raw({ id: 3, ...undeclared })).result).toMatchObject({ isError: true })
    time.advance(A_MINUTE)
    await expect
      .poll(async () => JSON.parse(await raw({ id: `${Math.random()}`, ...ask })).result)
      .toMatchObject({ status: 'completed', result: { content: [{ text: 'done x' }] } })
  })

  it('runs in the next wrap if the one that queued it is gone', async () => {
    const data = newFolder()
    const folder = newFolder()
    const time = new MovableTime()
    const first = await wrapped(faultySettings(folder), { data, time })
    const queued = metaOf(await (await first.client('session')).callTool(CALL('read', 'x', 'throttled_long')))
    await leave(first)
    time.advance(A_MINUTE)
    const second = await wrapped(faultySettings(folder), { data, time })
    const agent = await second.client('session')
    const asked = { operation_id: queued.operation_id, wait_seconds: 15 }
    expect(textOf(await agent.callTool({ name: 'mulligan_result', arguments: asked }))).toBe('done x')
  })
})

describe('6. When the child dies, every pending id is answered at once', () => {
  it('answers fifty hanging calls', async () => {
    const folder = newFolder()
    const { client } = await wrapped(faultySettings(folder))
    const agent = await client('session')
    const hanging = Array.from({ length: 50 }, (_, n) => agent.callTool(CALL('write', `h${n}`, 'hang')))
    const killer = agent.callTool(CALL('write', 'k', 'die_before'))
    const answers = await Promise.all([...hanging, killer])
    expect(answers.every(answer => (answer as Answer).isError === true)).toBe(true)
    // None was overtaken by the one that ended the server.
    expect(effects(folder)).toEqual(hanging.map((_, n) => `h${n}`))
  })
})

describe("7. Progress (or a task) before the client's own timeout; idle and total timeouts are two things", () => {
  it('reports as progress why a call waits', async () => {
    const { client } = await wrapped(faultySettings(newFolder()))
    const agent = await client('session')
    const seen: string[] = []
    const onprogress = ({ message }: { message?: string | undefined }) => void seen.push(message ?? '')
    expect(textOf(await agent.callTool(CALL('read', 'x', 'throttled'), { onprogress }))).toBe('done x')
    expect(seen.some(message => message.includes('rate_limit'))).toBe(true)
  })

  it('keeps waiting while a call shows progress, and gives up a silent one', async () => {
    const { client } = await wrapped(faultySettings(newFolder(), 'both', { idleTimeoutMs: 200 }))
    const agent = await client('session')
    const onprogress = () => {}
    expect(textOf(await agent.callTool(CALL('write', 'x', 'progress'), { onprogress }))).toBe('done x')
    const silent = await agent.callTool(CALL('write', 'y', 'hang'), { onprogress })
    expect(textOf(silent)).toContain('showed no sign of life for 200 ms')
  })

  it('gives up a call after its total timeout, and tells the server', async () => {
    const folder = newFolder()
    const { client } = await wrapped(faultySettings(folder, 'both', { timeoutMs: 200 }))
    const agent = await client('session')
    expect(textOf(await agent.callTool(CALL('write', 'x', 'hang')))).toContain('did not answer within 200 ms')
    await agent.callTool(CALL('write', 'y'))
    expect(effects(folder, 'cancelled')).toHaveLength(1)
  })
})

describe('8. Each upstream has its own bulkhead, breaker and budget, shared over all agent processes', () => {
  it('makes other processes with the same server and login wait, and no others', async () => {
    const data = newFolder()
    const folder = newFolder()
    const one = await wrapped(faultySettings(folder), { data })
    const same = await wrapped(faultySettings(folder), { data })
    const other = await wrapped(faultySettings(folder, 'both', { env: { TOKEN: 'of somebody else' } }), {
      data,
    })
    const [first, second, third] = await Promise.all([one, same, other].map(wrap => wrap.client('session')))
    const queued = metaOf(await first?.callTool(CALL('read', 'x', 'throttled_long')))
    expect(queued).toMatchObject({ queued_for_retry: true })
    expect(metaOf(await second?.callTool(CALL('read', 'y')))).toMatchObject({ queued_for_retry: true })
    expect(textOf(await third?.callTool(CALL('read', 'z')))).toBe('done z')
    // What one session queued is not for the eyes of another login.
    const asked = {
      name: 'mulligan_result',
      arguments: { operation_id: queued.operation_id, wait_seconds: 0 },
    }
    expect(textOf(await third?.callTool(asked))).toContain('There is no queued call')
    expect(textOf(await second?.callTool(asked))).toContain('Not done yet')
  })

  it('runs no more calls at once than `concurrency` allows', async () => {
    const { client } = await wrapped(faultySettings(newFolder(), 'both', { concurrency: 1, timeoutMs: 300 }))
    const agent = await client('session')
    const began = performance.now()
    await Promise.all([1, 2, 3].map(n => agent.callTool(CALL('write', `h${n}`, 'hang'))))
    expect(performance.now() - began).toBeGreaterThan(850)
  })
})

describe('9. isError texts are classified too; the original passes through, the verdict stands in _meta', () => {
  it('keeps the text of the tool and adds the verdict', async () => {
    const { client } = await wrapped(faultySettings(newFolder()))
    const agent = await client('session')
    const answer = await agent.callTool(CALL('write', 'x', 'throttled'))
    expect((answer as Answer).content[0]?.text).toBe(
      'Error 429: rate limit exceeded, try again in 0.2 seconds',
    )
    expect(metaOf(answer)).toMatchObject({
      mulligan: { failure: { class: 'throttle', kind: 'rate_limit', status: 429, retry_after_ms: 200 } },
    })
  })
})

describe('10. Cancellation, list changes, input_required and trace context pass through; children are ended when the client vanishes', () => {
  it('forwards a cancellation to the server, and sends no answer', async () => {
    const folder = newFolder()
    const { client, lines } = await wrapped(faultySettings(folder))
    const agent = await client('session')
    const abort = new AbortController()
    const given = agent.callTool(CALL('write', 'x', 'hang'), { signal: abort.signal }).catch(() => 'given up')
    await expect.poll(() => effects(folder)).toEqual(['x'])
    abort.abort()
    expect(await given).toBe('given up')
    await expect.poll(() => effects(folder, 'cancelled')).toHaveLength(1)
    expect(lines.filter(line => line.includes('may have happened'))).toEqual([])
  })

  it.each<[Era, Era]>([
    ['session', 'session'],
    ['session', 'stateless'],
  ])('forwards list changes: client %s, server %s', async (clientEra, serverEra) => {
    const started = await wrapped(programSettings([process.execPath, ASKING_SERVER, serverEra]))
    const agent = await started.client(clientEra)
    await agent.listTools()
    const changed = nextLine(started, line => line.includes('notifications/tools/list_changed'))
    await agent.callTool({ name: 'change', arguments: {} })
    await changed
  })

  it('forwards trace context', async () => {
    const { raw, client } = await wrapped(faultySettings(newFolder()))
    await client('session')
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const answer = await raw({ id: 7, method: 'future/method', params: { _meta: { traceparent } } })
    expect(answer).toContain(traceparent)
  })

  it('ends the server when the client is gone', async () => {
    const started = await wrapped(faultySettings(newFolder()))
    await started.client('session')
    const began = performance.now()
    await leave(started)
    expect(started.wrap.servers[0]?.upstream.ready).toBeUndefined()
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})

describe.each<Era>(['session', 'stateless'])('in the era %s', era => {
  it('forwards unknown methods and fields byte for byte', async () => {
    const { client, raw } = await wrapped(faultySettings(newFolder()))
    const agent = await client(era)
    const { tools } = await agent.listTools()
    expect(tools.map(({ name }) => name)).toContain('huge')
    const meta =
      era === 'session'
        ? {}
        : {
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          }
    expect(await raw({ id: 'l', method: 'tools/list', params: meta })).toContain(
      '"maximum":18446744073709551615',
    )
    const future = await raw({ id: 'f', method: 'future/method', params: { a: [1, { b: null }], ...meta } })
    expect(JSON.parse(future)).toMatchObject({ id: 'f', result: { echoed: { a: [1, { b: null }] } } })
  })
})
