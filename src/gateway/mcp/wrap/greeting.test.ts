import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { faultySettings, startWrap, type TestWrap } from '../../../../test/gateway/mcp/wrap/wrap.ts'
import { FakeTime } from '../../../testing/core/fake-time.ts'

const base = mkdtempSync(join(tmpdir(), 'mulligan-greeting-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

let number = 0
let folder: string
const wraps: TestWrap[] = []
beforeEach(() => {
  folder = join(base, `${++number}`)
  mkdirSync(join(folder, 'server'), { recursive: true })
})
afterEach(async () => {
  await Promise.all(wraps.splice(0).map(wrap => wrap.close()))
})

async function start(
  settings: Parameters<typeof faultySettings>[2] = {},
  options: Parameters<typeof startWrap>[2] = {},
) {
  const server = faultySettings(join(folder, 'server'), 'session', settings)
  const wrap = await startWrap(join(folder, 'data'), [server], options)
  wraps.push(wrap)
  return wrap
}
const linesOf = (file: string) => {
  const path = join(folder, 'server', file)
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}

it('greets a server in the other way in the same process, and remembers that for its command', async () => {
  await (await start()).client('stateless')
  expect(linesOf('hellos')).toEqual(['server/discover', 'initialize'])
  expect(linesOf('starts')).toHaveLength(1)
  await (await start({ env: { TOKEN: 'of somebody else' } })).client('stateless')
  expect(linesOf('hellos').slice(2)).toEqual(['initialize'])
  expect(linesOf('starts')).toHaveLength(2)
})

it('greets a server that leaves the first greeting unanswered in the other way, in the same process', async () => {
  writeFileSync(join(folder, 'server', 'mute'), '')
  const time = new FakeTime(Date.now())
  const wrap = await start({}, { time })
  const connecting = wrap.client('stateless')
  await expect.poll(() => linesOf('hellos')).toEqual(['server/discover'])
  await time.advance(4_999)
  expect(linesOf('hellos')).toHaveLength(1)
  await time.advance(1)
  const agent = await connecting
  expect(agent.getServerVersion()).toMatchObject({ name: 'faulty' })
  expect(linesOf('hellos')).toEqual(['server/discover', 'initialize'])
  expect(linesOf('starts')).toHaveLength(1)
})
