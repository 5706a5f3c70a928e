import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { Stubs } from '../../../test/agent/stub.ts'
import { BUILT_COMMAND } from '../../../test/cli/command.ts'
import { runCommand } from '../../../test/cli/terminal.ts'

let stubs: Stubs
beforeEach(() => {
  stubs = new Stubs()
})

const executing = (argv: string[], stdin = '') =>
  runCommand(['exec', ...argv], {
    cwd: stubs.folder,
    env: { PATH: `${stubs.folder}:${process.env.PATH}` },
    stdin,
  })

describe('mulligan exec', () => {
  it("passes output through, and exits with the program's code", async () => {
    stubs.make('tool', `say('out'); warn('err'); end(3)`)
    const { code, stdout, stderr } = await executing(['--', 'tool', 'a', '--help'])
    expect({ code, stdout }).toEqual({ code: 3, stdout: 'out' })
    expect(stderr).toMatch(/^err\nmulligan: try 1 failed/)
    expect(stubs.starts('tool').map(({ args }) => args)).toEqual([['a', '--help']])
  })

  it('passes bytes through unchanged', async () => {
    stubs.make('tool', `process.stdout.write(Buffer.from([0, 255, 254, 10, 128]))`)
    const { stdout } = await promisify(execFile)(process.execPath, [BUILT_COMMAND, 'exec', '--', 'tool'], {
      encoding: 'buffer',
      env: { ...process.env, PATH: `${stubs.folder}:${process.env.PATH}` },
    })
    expect([...stdout]).toEqual([0, 255, 254, 10, 128])
  })

  it('adds no output of its own on success', async () => {
    stubs.make('tool', `say('fine')`)
    expect(await executing(['--', 'tool'])).toEqual({ code: 0, stdout: 'fine', stderr: '' })
  })

  it('retries an unknown failure only with --retries', async () => {
    stubs.make('tool', `if (start < 3) end(9); say('third time')`)
    expect(await executing(['--', 'tool'])).toMatchObject({ code: 9 })
    expect(await executing(['--retries', '1', '--', 'tool'])).toMatchObject({ code: 0, stdout: 'third time' })
  })

  it('runs a program once without --retries, and says what would allow more', async () => {
    stubs.make('tool', `warn('connect ECONNREFUSED 127.0.0.1:443'); end(1)`)
    const { code, stderr } = await executing(['--', 'tool'])
    expect(code).toBe(1)
    expect(stubs.starts('tool')).toHaveLength(1)
    expect(stderr).toContain('(if running it twice is safe: --retries N)')
  })

  it('does not retry work that may have taken effect, unless told that this is safe', async () => {
    stubs.make('tool', `say('sent'); warn('read ECONNRESET'); end(1)`)
    expect(await executing(['--', 'tool'])).toMatchObject({ code: 1 })
    expect(stubs.starts('tool')).toHaveLength(1)
    await executing(['--retries', '1', '--', 'tool'])
    expect(stubs.starts('tool')).toHaveLength(3)
  })

  it.each(['zai-coding-plan', 'pi-rust', 'my-claude'])(
    'counts how the tries of %s end, which only a flag calls a provider, and records what is unknown',
    async provider => {
      const env = { PATH: `${stubs.folder}:${process.env.PATH}`, MULLIGAN_QUEUE_DATA: stubs.folder }
      const mulligan = (...argv: string[]) => runCommand(argv, { cwd: stubs.folder, env, now: Date.now })
      const status = async () => {
        const { stdout } = await mulligan('providers', 'ls', '--json')
        return JSON.parse(stdout).providers[0]
      }
      stubs.make('tool', `warn('the reasoning block was left open'); end(1)`)
      stubs.make('fine', `say('done')`)
      await mulligan('queue', 'resume')
      const exec = (program: string) => mulligan('exec', '--provider', provider, '--', program)
      expect((await exec('tool')).stderr).toContain('unknown/unknown: the reasoning block was left open')
      expect(await status()).toMatchObject({ id: provider, breaker: { failures: 0.5 } })
      expect((await mulligan('unknowns', 'ls')).stdout).toContain('the reasoning block was left open')
      await exec('fine')
      expect(await status()).toMatchObject({ id: provider, breaker: { failures: 0 } })
    },
  )

  it('does not start a program whose provider is blocked, and says until when', async () => {
    const env = { PATH: `${stubs.folder}:${process.env.PATH}`, MULLIGAN_QUEUE_DATA: stubs.folder }
    const mulligan = (...argv: string[]) => runCommand(argv, { cwd: stubs.folder, env, now: Date.now })
    const exec = (...flags: string[]) => mulligan('exec', '--provider', 'zai', ...flags, '--', 'tool')
    stubs.make('tool', `if (start === 1) { warn('429 usage limit reached, try again in 2 hours'); end(3) }`)
    await mulligan('queue', 'resume')
    expect(await exec()).toMatchObject({ code: 3 })
    for (const flags of [[], ['--budget', '10m', '--retries', '3', '--exit-class']]) {
      const { code, stderr } = await exec(...flags)
      expect(stderr).toMatch(
        /^mulligan: tool was not started: .*usage limit reached.*should work again at \d{4}-/,
      )
      expect(code).toBe(69)
    }
    expect(stubs.starts('tool')).toHaveLength(1)
    await mulligan('providers', 'reset', 'zai')
    expect(await exec()).toMatchObject({ code: 0 })
  })

  it('passes stdin to every try on request, else none', async () => {
    stubs.make('tool', `say(input + '|'); if (start === 2) end(1)`)
    expect(await executing(['--', 'tool'], 'text')).toMatchObject({ stdout: '|' })
    expect(await executing(['--stdin', '--retries', '1', '--', 'tool'], 'text')).toMatchObject({
      stdout: 'text|text|',
    })
  })

  it.each<[string, string, string[], number, number]>([
    ['a signal', `process.kill(process.pid, 'SIGKILL'); hang()`, [], 137, 70],
    ['a deadline', 'hang()', ['--budget', '300ms'], 124, 124],
    ['silence', 'hang()', ['--stall', '300ms'], 124, 124],
    ['a limit', `warn('Error: 429 Too Many Requests'); end(1)`, ['--retries', '0'], 1, 75],
    ['a login', `warn('HTTP 401 Unauthorized: invalid api key'); end(1)`, [], 1, 77],
  ])(
    "exits with the program's code, or with the failure class's: %s",
    async (_title, body, flags, own, byClass) => {
      stubs.make('tool', body)
      expect(await executing([...flags, '--', 'tool'])).toMatchObject({ code: own })
      expect(await executing([...flags, '--exit-class', '--', 'tool'])).toMatchObject({ code: byClass })
    },
  )

  it('exits like a shell if the program does not exist', async () => {
    expect(await executing(['--', 'no-such-program'])).toMatchObject({
      code: 127,
      stderr: expect.stringContaining('cannot start'),
    })
    expect(await executing(['--exit-class', '--', 'no-such-program'])).toMatchObject({ code: 1 })
  })

  it.each<[string[], string]>([
    [[], 'no command; give it after --'],
    [['--retries', 'x', '--', 'true'], '--retries takes a whole number'],
    [['--budget', '5', '--', 'true'], '--budget takes a duration'],
  ])('refuses %j', async (argv, message) => {
    expect(await executing(argv)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })

  it('ends the program when interrupted, and exits with 130', async () => {
    stubs.make('tool', `say('ready'); hang()`)
    const child = spawn(process.execPath, [BUILT_COMMAND, 'exec', '--', 'tool'], {
      env: { ...process.env, PATH: `${stubs.folder}:${process.env.PATH}` },
    })
    const ended = new Promise(resolve => child.once('exit', resolve))
    child.stdout.once('data', () => child.kill('SIGINT'))
    expect(await ended).toBe(130)
  })

  it('exits with 130 when interrupted between two tries', async () => {
    stubs.make('tool', `end(3)`)
    const stop = new AbortController()
    const { code, stderr } = await runCommand(['exec', '--retries', '3', '--', 'tool'], {
      cwd: stubs.folder,
      env: { PATH: `${stubs.folder}:${process.env.PATH}` },
      signal: stop.signal,
      onStderr: text => text.includes('waiting') && stop.abort(new Error('stopped by SIGINT')),
    })
    expect(code).toBe(130)
    expect(stderr).toContain(': command_failed: may be temporary; retry 1 of 3')
  })
})
