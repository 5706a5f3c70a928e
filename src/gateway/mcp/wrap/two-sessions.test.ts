import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import { faultySettings, startWrap, type TestWrap } from '../../../../test/gateway/mcp/wrap/wrap.ts'
import { MovableTime } from '../../../../test/time/movable-time.ts'
import { inboxOf } from '../../../notice/inbox.ts'

const base = mkdtempSync(join(tmpdir(), 'mulligan-sessions-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))
const wraps: TestWrap[] = []
afterEach(async () => {
  await Promise.all(wraps.splice(0).map(wrap => wrap.close()))
})

/** The wait that the server asks for by the fault `throttled_long`. */
const A_MINUTE = 60_000
const time = new MovableTime()
let sessions = 0
/** A session of a client that gives each a socket and a token of its own, as Claude Code does. */
async function session(folder: string, env: Record<string, string> = {}): Promise<TestWrap> {
  const own = ++sessions
  const of = { CLAUDE_CODE_MESSAGING_TOKEN: `token ${own}`, CLAUDE_CODE_MESSAGING_SOCKET: `/tmp/${own}.sock` }
  const settings = faultySettings(join(folder, 'server'), 'session', { env: { ...of, ...env } })
  const wrap = await startWrap(join(folder, 'data'), [settings], { workspace: folder, time })
  wraps.push(wrap)
  return wrap
}
async function end(wrap: TestWrap): Promise<void> {
  wraps.splice(wraps.indexOf(wrap), 1)
  await wrap.queue.ledger
    .runners()
    .then(([runner]) => wrap.wrap.tellOfOrphans(wrap.queue, time.now(), runner?.id))
  await wrap.close()
}
const textOf = (answer: unknown) => (answer as { content: { text: string }[] }).content[0]?.text ?? ''
const READ = (id: string, fault = 'none') => ({ name: 'read', arguments: { id, fault } })

it('finds the tools, the pause and the result of a session that has ended', async () => {
  const folder = join(base, 'same')
  const first = await session(folder)
  const early = await first.client('session')
  await early.listTools()
  const queued = await early.callTool(READ('x', 'throttled_long'))
  const { operation_id: id } = queued._meta as { operation_id: string }
  await end(first)
  // From the cache: the server does not even start.
  writeFileSync(join(folder, 'server', 'hang'), '')
  const second = await session(folder)
  const late = await second.client('session')
  expect((await late.listTools()).tools.map(({ name }) => name)).toContain('read')
  expect((await late.callTool(READ('y')))._meta).toMatchObject({ queued_for_retry: true })
  rmSync(join(folder, 'server', 'hang'))
  await end(second)
  time.advance(A_MINUTE)
  const third = await session(folder)
  const agent = await third.client('session')
  const listed = textOf(await agent.callTool({ name: 'mulligan_result', arguments: {} }))
  expect(listed).toMatch(new RegExp(`^${id}: read, `, 'm'))
  expect(textOf(await agent.callTool({ name: 'mulligan_result', arguments: { operation_id: id } }))).toBe(
    'done x',
  )
})

it('tells of a call that no session can run, and gives it to any other in the same data folder', async () => {
  const folder = join(base, 'orphan')
  const first = await session(folder, { TRACKER_TOKEN: 'before' })
  const early = await first.client('session')
  const queued = await early.callTool(READ('x', 'throttled_long'))
  const { operation_id: id } = queued._meta as { operation_id: string }
  await end(first)
  const second = await session(folder, { TRACKER_TOKEN: 'renewed' })
  const agent = await second.client('session')
  const { ledger } = second.queue
  const name = (await ledger.get(id))?.session as string
  expect(name).toMatch(/^test:orphan-/)
  for (const _again of [1, 2]) await second.wrap.tellOfOrphans(second.queue, time.now())
  expect(await inboxOf(ledger, { session: name, now: time.now() })).toMatchObject([
    {
      operation: id,
      workspace: folder,
      disposition: 'actionable',
      title: 'A queued call of read waits for a session with the MCP server faulty',
      body: expect.stringContaining(`mulligan_result with operation_id ${id}`),
    },
  ])
  const asked = await agent.callTool({ name: 'mulligan_result', arguments: { operation_id: id } })
  expect(textOf(asked)).toMatch(/^Not done yet: /)
  expect(asked.isError).toBeFalsy()
  expect(textOf(await agent.callTool({ name: 'mulligan_result', arguments: {} }))).toContain(`${id}: read`)
  // Its own login is back: it runs there, and nobody else sees it any more.
  time.advance(A_MINUTE)
  const third = await session(folder, { TRACKER_TOKEN: 'before' })
  const owner = await third.client('session')
  expect(textOf(await owner.callTool({ name: 'mulligan_result', arguments: { operation_id: id } }))).toBe(
    'done x',
  )
  expect(
    textOf(await agent.callTool({ name: 'mulligan_result', arguments: { operation_id: id } })),
  ).toContain('There is no queued call')
})
