import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCommand } from '../../../test/cli/terminal.ts'

const cwd = mkdtempSync(join(tmpdir(), 'mulligan-'))
const empty = mkdtempSync(join(tmpdir(), 'mulligan-'))
writeFileSync(
  join(cwd, 'mulligan.toml'),
  `[[provider]]
id = "claude"
credential = "env:CLAUDE_KEY"
command = "env:CLAUDE"
args = ["--title", "visible", "--password", "swordfish-1", "-u", "me:swordfish-2"]
env = { API_TOKEN = "swordfish-42", GH_PAT = "swordfish-3", PLAIN = "swordfish-4" }
[queue]
retry_for = "1h"
`,
)
writeFileSync(join(cwd, 'bad.toml'), '[[provider]]\nidd = "x"\n[polcy]\n')
const env = { CLAUDE_KEY: 'the-real-key', MULLIGAN_QUEUE_CONCURRENCY: '3' }
const run = (argv: string[], options = {}) => runCommand(['config', ...argv], { cwd, env, ...options })

describe('mulligan config check', () => {
  it('exits with 0 if the config is valid or missing', async () => {
    expect(await run(['check'])).toEqual({
      code: 0,
      stdout: `${join(cwd, 'mulligan.toml')} is valid.\n`,
      stderr: '',
    })
    expect(await run(['check'], { cwd: empty })).toEqual({
      code: 0,
      stdout: 'No mulligan.toml found; defaults apply.\n',
      stderr: '',
    })
  })

  it('exits with 1 and lists every mistake', async () => {
    const file = join(cwd, 'bad.toml')
    const { code, stdout } = await run(['check', '--config', 'bad.toml'])
    expect(code).toBe(1)
    expect(stdout).toBe(
      `${file}:1:1: provider[0]: id is missing; it must be a name without spaces, such as "claude-work"
${file}:2:1: unknown key "idd" in provider[0]; did you mean "id"?
${file}:3:1: unknown table or key "polcy"; did you mean "policy"?
3 mistakes
`,
    )
  })

  it('finds mistakes in capabilities without loading modules', async () => {
    const file = join(cwd, 'capabilities.toml')
    writeFileSync(join(cwd, 'thrower.ts'), "throw new Error('was run')")
    writeFileSync(
      file,
      `[queue]
modules = ["./thrower.ts", "./gone.ts"]
[[capability]]
name = "greet"
argv = ["echo", "{whom}"]
retry = "none"
params = { who = {} }
[[capability]]
name = "sign"
argv = ["sign", "{token}"]
retry = "none"
params = { token = { secret = true } }
[[capability]]
name = "right"
argv = ["true"]
retry = "none"
[[capability]]
name = "work"
module = "./gone.ts#work"
`,
    )
    expect(await run(['check', '--config', 'capabilities.toml'])).toEqual({
      code: 1,
      stdout: `${file}:2:28: module ./gone.ts: there is no file ${join(cwd, 'gone.ts')}
${file}:4:1: capability "greet": "{whom}" names the unknown parameter {whom}; known: who; write {{whom}} for the text itself
${file}:9:1: capability "sign": the secret {token} is in argv, which every user of the machine can read; pass it by env or stdin
${file}:18:1: module ./gone.ts: there is no file ${join(cwd, 'gone.ts')}
4 mistakes
`,
      stderr: '',
    })
  })

  it('prints the same as JSON, and nothing else on stdout', async () => {
    const file = join(cwd, 'bad.toml')
    const { code, stdout, stderr } = await run(['check', '--json', '--config', 'bad.toml'])
    expect([code, stderr]).toEqual([1, ''])
    const { problems, ...rest } = JSON.parse(stdout)
    expect(rest).toEqual({ ok: false, file })
    expect(problems[1]).toEqual({
      file,
      line: 2,
      column: 1,
      path: 'provider[0].idd',
      message: 'unknown key "idd" in provider[0]; did you mean "id"?',
    })
    expect(JSON.parse((await run(['check', '--json'])).stdout)).toMatchObject({ ok: true, problems: [] })
  })

  it('reports a named file that does not exist', async () => {
    const { code, stdout } = await run(['check', '--config', 'none.toml'])
    expect([code, stdout]).toEqual([
      1,
      `${join(cwd, 'none.toml')}: cannot be read: no such file\n1 mistake\n`,
    ])
  })
})

describe('mulligan config show', () => {
  it('shows the origin of every value', async () => {
    const { code, stdout } = await run(['show'])
    const lines = stdout.split('\n').map(line => line.replaceAll(/ +/g, ' '))
    expect(code).toBe(0)
    expect(lines[0]).toBe(`# ${join(cwd, 'mulligan.toml')}`)
    expect(lines).toContain('provider[claude].id = "claude" # line 2:1')
    expect(lines).toContain('queue.retry_for = "1h" # line 8:1')
    expect(lines).toContain('queue.concurrency = 3 # MULLIGAN_QUEUE_CONCURRENCY')
    expect(lines).toContain('queue.max_retries = 5 # default')
  })

  it.each([['show'], ['show', '--json']])('never shows a secret: %s %s', async (...argv) => {
    const { stdout } = await run(argv)
    expect(stdout).not.toMatch(/the-real-key|swordfish/)
    expect(stdout).toContain('visible')
  })

  it('shows whether references are set', async () => {
    const { stdout } = await run(['show'])
    expect(stdout).toContain('"env:CLAUDE_KEY" (set)')
    expect(stdout).toContain('"env:CLAUDE" (not set)')
    const { values } = JSON.parse((await run(['show', '--json'])).stdout)
    expect(values.find(({ path }: { path: string }) => path === 'provider[claude].credential')).toEqual({
      path: 'provider[claude].credential',
      value: 'env:CLAUDE_KEY',
      is_set: true,
      from: 'file',
      file: join(cwd, 'mulligan.toml'),
      line: 3,
      column: 1,
    })
  })

  it('shows only the mistakes of a broken config', async () => {
    const { code, stdout, stderr } = await run(['show', '--config', 'bad.toml'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('bad.toml:2:1: unknown key "idd"')
  })
})

describe('mulligan config', () => {
  it('prints the JSON Schema', async () => {
    const schema = JSON.parse((await run(['schema'])).stdout)
    expect(Object.keys(schema.properties)).toContain('provider')
    expect(schema.additionalProperties).toBe(false)
  })

  it.each([
    [[], 'missing subcommand; one of: check, show, schema'],
    [['chek'], 'did you mean "config check"?'],
    [['check', 'mulligan.toml'], 'config check takes no "mulligan.toml"; name the file with --config'],
    [['show', '--jsn'], 'did you mean --json?'],
  ])('exits with 2 on wrong usage: %j', async (argv, message) => {
    const { code, stderr } = await run(argv)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})
