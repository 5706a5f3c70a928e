import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, describe, expect, it } from 'vitest'
import { BUILT_COMMAND } from '../../../../test/cli/command.ts'
import { FAULTY_SERVER } from '../../../../test/gateway/mcp/wrap/wrap.ts'

const base = mkdtempSync(join(tmpdir(), 'mulligan-mcp-wrap-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

let folders = 0
const newFolder = () => join(base, `${++folders}`)
const env = { ...process.env, HOME: base, XDG_STATE_HOME: join(base, 'state') }

/** A server that ignores SIGTERM and the end of its stdin. */
const STUBBORN = `
require('node:fs').writeFileSync(process.env.PID_FILE, String(process.pid))
process.on('SIGTERM', () => {})
setInterval(() => {}, 1000)
process.stdin.on('data', line => {
  const { id, method } = JSON.parse(line)
  if (method === 'initialize') process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } } }) + '\\n')
})`

const HELLO = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})}\n`

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('mulligan mcp wrap', () => {
  // At the same time, because each server is given two seconds to end.
  it.concurrent.for<[string, (child: ChildProcess) => void]>([
    ['closes its end', child => child.stdin?.end()],
    ['ends it with SIGTERM', child => child.kill('SIGTERM')],
    ['kills it with SIGKILL', child => child.kill('SIGKILL')],
  ])('ends a server that will not end when the client %s', async ([_how, vanish], { expect }) => {
    const file = join(base, `pid-${++folders}`)
    const argv = [BUILT_COMMAND, 'mcp', 'wrap', '--', process.execPath, '-e', STUBBORN]
    const child = spawn(process.execPath, argv, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...env, PID_FILE: file },
    })
    child.stdin.write(HELLO)
    await new Promise(resolve => createInterface({ input: child.stdout }).once('line', resolve))
    // The second wrap greets from the cache, while its server starts.
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+$/)
    const pid = Number(readFileSync(file, 'utf8'))
    expect(isAlive(pid)).toBe(true)
    vanish(child)
    await expect.poll(() => isAlive(pid), { interval: 20 }).toBe(false)
  })

  it('prints what would happen to each tool of a config', () => {
    const config = join(base, 'mulligan.toml')
    writeFileSync(
      config,
      `[[upstream]]
name = "faulty"
argv = [${JSON.stringify(process.execPath)}, ${JSON.stringify(FAULTY_SERVER)}, ${JSON.stringify(newFolder())}]
tools.atomic = { atomic = true }
[upstream.tools.write]
retry = "verify_first"
verify = { tool = "find", arguments = { id = "{id}" }, contains = "found" }
`,
    )
    const said = spawnSync(
      process.execPath,
      [BUILT_COMMAND, 'mcp', 'wrap', '--dry-run', '--json', '--config', config],
      { env, encoding: 'utf8' },
    )
    expect(said.status, said.stderr).toBe(0)
    const [{ tools }] = JSON.parse(said.stdout)
    expect(Object.fromEntries(tools.map(({ tool, retry }: Record<string, string>) => [tool, retry]))).toEqual(
      {
        write: 'verify_first',
        read: 'replay',
        put: 'replay',
        atomic: 'none',
        find: 'replay',
        huge: 'none',
      },
    )
  })

  it('starts nothing from an untrusted config', () => {
    const folder = mkdtempSync(join(base, 'untrusted-'))
    const mark = join(folder, 'started')
    writeFileSync(
      join(folder, 'mulligan.toml'),
      `[[upstream]]\nname = "evil"\nargv = ["touch", ${JSON.stringify(mark)}]\n`,
    )
    const said = spawnSync(process.execPath, [BUILT_COMMAND, 'mcp', 'wrap'], {
      env,
      cwd: folder,
      encoding: 'utf8',
      input: HELLO,
    })
    expect(said.status).toBe(1)
    expect(said.stderr).toMatch(/not trusted/)
    expect(existsSync(mark)).toBe(false)
  })

  it.each([
    [['mcp', 'wrap'], /no command; give it after --, or add \[\[upstream\]\] to mulligan.toml/],
    [
      ['mcp', 'wrap', 'npx', 'server'],
      /no \[\[upstream\]\] is called "npx".*to wrap a command: mulligan mcp wrap -- npx server/,
    ],
    [['mcp', 'wrap', '--header', 'x', 'http://localhost/mcp'], /--header takes "Name: value"/],
    [
      ['mcp', 'wrap', '--header', 'A: env:NOT_SET_AT_ALL', 'http://localhost/mcp'],
      /this variable is not set/,
    ],
    [['mcp', 'wrap', '--header', 'A: b', '--', 'x'], /--header is for a URL/],
    [['mcp', 'wrap', '--tmeout', '1s', '--', 'x'], /did you mean --timeout\?/],
  ])('answers %j with what would be right', (argv, message) => {
    const said = spawnSync(process.execPath, [BUILT_COMMAND, ...argv], {
      env,
      cwd: `${base}/..`,
      encoding: 'utf8',
    })
    expect(said.status).toBe(2)
    expect(said.stderr).toMatch(message)
  })
})
