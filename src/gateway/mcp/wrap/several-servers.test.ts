import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  ASKING_SERVER,
  faultySettings,
  programSettings,
  startWrap,
  type TestWrap,
} from '../../../../test/gateway/mcp/wrap/wrap.ts'

const base = mkdtempSync(join(tmpdir(), 'mulligan-several-'))
let wrap: TestWrap

beforeAll(async () => {
  wrap = await startWrap(join(base, 'data'), [
    faultySettings(join(base, 'one'), 'session', { name: 'one' }),
    faultySettings(join(base, 'two'), 'stateless', { name: 'two', prefix: 'second' }),
    programSettings([process.execPath, ASKING_SERVER, 'session'], { name: 'asking' }),
    programSettings(['/no/such/program'], { name: 'gone' }),
  ])
})
afterAll(async () => {
  await wrap.close()
  rmSync(base, { recursive: true, force: true })
})

const textOf = (answer: unknown) =>
  (answer as { content: { text: string }[] }).content.map(({ text }) => text).join('\n')

it('lists the tools of several servers with prefixes, even if one server does not start', async () => {
  const agent = await wrap.client('session', { capabilities: { elicitation: {} } })
  agent.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }))
  const { tools } = await agent.listTools()
  const names = tools.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['one_write', 'second_write', 'asking_ask', 'mulligan_result']),
  )
  expect(names).not.toContain('write')
  const call = (name: string, id: string) => agent.callTool({ name, arguments: { id } })
  expect(textOf(await call('one_write', 'a'))).toBe('done a')
  expect(textOf(await call('second_write', 'b'))).toBe('done b')
  // Both servers number their questions alike.
  expect(textOf(await agent.callTool({ name: 'asking_ask', arguments: {} }))).toBe('Ada and Ada')
  await expect(call('write', 'c')).rejects.toThrow(/names here begin with one_…, second_…, asking_…, gone_…/)
  expect(textOf(await agent.callTool({ name: 'gone_x', arguments: {} }))).toMatch(
    /MCP server "gone" did not start: there is no program .* was not carried out/,
  )
})

it('keeps numbers and schemas of each server unchanged', async () => {
  expect(await wrap.raw({ id: 'l', method: 'tools/list' })).toContain('"maximum":18446744073709551615')
})
