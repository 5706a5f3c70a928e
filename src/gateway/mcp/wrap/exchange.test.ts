import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { faultySettings, startWrap, type TestWrap } from '../../../../test/gateway/mcp/wrap/wrap.ts'
import { realTime } from '../../../time/time.ts'

const folders: string[] = []
const wraps: TestWrap[] = []

afterEach(async () => {
  await Promise.all(wraps.splice(0).map(wrap => wrap.close()))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function wrapped(more: Parameters<typeof faultySettings>[2] = {}, time = realTime) {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-exchange-'))
  folders.push(folder)
  const wrap = await startWrap(join(folder, 'data'), [faultySettings(folder, 'both', more)], { time })
  wraps.push(wrap)
  const linesOf = (file: string) => {
    const path = join(folder, file)
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
  }
  return { ...wrap, linesOf }
}

it('does not count the start of a server as time to answer', async () => {
  const env = { FAULT_START: 'slow', FAULT_SLOW_MS: '1500' }
  const { wrap, linesOf } = await wrapped({ env, timeoutMs: 1_000 })
  const call = { tool: 'write', arguments: { id: 'x' } }
  const result = await wrap.servers[0]?.perform(call, new AbortController().signal)
  expect(result).toMatchObject({ content: [{ text: 'done x' }] })
  expect(linesOf('cancelled')).toEqual([])
})

it('does not send a call that was already cancelled', async () => {
  const { wrap, client, linesOf } = await wrapped()
  const agent = await client('session')
  await agent.listTools()
  const call = { tool: 'write', arguments: { id: 'x' } }
  const given = AbortSignal.abort(new Error('not needed'))
  await expect(wrap.servers[0]?.perform(call, given)).rejects.toThrow('not needed')
  await agent.callTool({ name: 'write', arguments: { id: 'y' } })
  expect(linesOf('effects')).toEqual(['y'])
})

it('tells the server why the client cancelled a call', async () => {
  const { client, pipes, linesOf } = await wrapped()
  await client('session')
  const say = (message: object) => pipes.toWrap.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const params = { name: 'write', arguments: { id: 'x', fault: 'hang' } }
  say({ id: 77, method: 'tools/call', params })
  await expect.poll(() => linesOf('effects')).toEqual(['x'])
  say({ method: 'notifications/cancelled', params: { requestId: 77, reason: 'the user pressed Escape' } })
  await expect.poll(() => linesOf('cancelled')).toEqual(['77 the user pressed Escape'])
})

it('does not wait for the next start when it is closed', async () => {
  // The wait before the fourth start never ends.
  const time = {
    ...realTime,
    after: (ms: number, callback: () => void) => realTime.after(ms === 1_000 ? Infinity : ms, callback),
  }
  const { wrap } = await wrapped({ env: { FAULT_START: 'exit' } }, time)
  const [server] = wrap.servers
  for (let starts = 0; starts < 3; starts++) await expect(server?.upstream.connection()).rejects.toThrow()
  const starting = server?.upstream.connection().catch((error: Error) => error.message)
  await server?.close()
  expect(await starting).toContain('it was closed')
})
