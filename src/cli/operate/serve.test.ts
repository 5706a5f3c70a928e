import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually, isAlive } from '../../../test/agent/stub.ts'
import { Site, TestDaemon } from '../../../test/cli/daemon.ts'
import { openLedger } from '../../ledger/sqlite/sqlite-ledger.ts'

let site: Site
beforeEach(() => {
  site = new Site()
})
afterEach(() => site.close())

const file = (name: string) => join(site.folder, name)
const linesOf = (name: string) =>
  existsSync(file(name)) ? readFileSync(file(name), 'utf8').split('\n').slice(0, -1) : []

/** A capability that runs a shell script, with the test's folder as its first argument. */
const script = (name: string, code: string, more = '') =>
  `[[capability]]\nname = "${name}"\nargv = ["sh", "-c", ${JSON.stringify(code)}, "sh"]\n${/^retry =/m.test(more) ? '' : 'retry = "none"\n'}${more}\n`

describe('the daemon', () => {
  it('works without any config, and says how to add a capability', async () => {
    const daemon = await site.serve()
    expect((await daemon.ready()).msg).toContain('no capabilities (add [[capability]] to mulligan.toml')
    expect((await site.run('status', '--alive')).code).toBe(0)
    expect(await daemon.stop()).toBe(0)
    expect(daemon.lines.at(-1)?.msg).toBe('stopped; nothing was lost')
    expect((await site.run('status', '--alive')).code).toBe(1)
  })

  it('logs what it found, and runs an operation that another process submits and waits for', async () => {
    site.configure(
      `[[provider]]\nid = "claude"\n${script('greet', 'echo "hello $1 from $PPID"').replace('"sh"]', '"sh", "{who}"]\nparams = { who = {} }')}`,
    )
    const daemon = await site.serve()
    expect(await daemon.ready()).toMatchObject({
      providers: [{ id: 'claude', admits: true }],
      capabilities: ['greet'],
      queue: { queued: 0, due: 0, running: 0, parked: 0, dead: 0 },
    })
    expect(await site.run('submit', 'greet', '--param', 'who=7', '--wait')).toEqual({
      code: 0,
      // Its parent is the daemon; the submitting process only waited.
      stdout: `hello 7 from ${daemon.child.pid}\n`,
      stderr: '',
    })
  })

  it('passes a secret to a program by a variable or stdin, and keeps it out of all records', async () => {
    mkdirSync(file('work'))
    site.configure(`[queue]
data = "state"
[[capability]]
name = "sign"
argv = ["sh", "-c", 'echo "{\\"by\\": \\"$TOKEN\\", \\"read\\": \\"$(cat)\\", \\"in\\": \\"$(basename $PWD)\\"}"']
retry = "none"
env = { TOKEN = "{token}" }
stdin = "{token}"
cwd = "./work"
output = "json"
params = { token = { secret = true } }
`)
    const daemon = await site.serve('--log-level', 'debug')
    const { stdout, stderr } = await site.run('submit', 'sign', '--param', 'token=qq-hush-hush-qq', '--wait')
    expect({ result: JSON.parse(stdout), stderr }).toEqual({
      result: { by: '***REDACTED***', read: '***REDACTED***', in: 'work' },
      stderr: expect.stringContaining('token: a secret on the command line is visible'),
    })
    await daemon.stop()
    const written = readdirSync(file('state')).map(name => readFileSync(join(file('state'), name), 'latin1'))
    expect([...written, JSON.stringify(daemon.lines)].join()).not.toContain('hush')
  })

  it('runs operations submitted before it started', async () => {
    site.configure(script('work', 'echo done'))
    const submitted = await site.run('submit', 'work')
    expect(submitted).toMatchObject({
      code: 0,
      stdout: 'op_1\n',
      stderr: expect.stringContaining('no runner is alive, so it waits'),
    })
    const daemon = await site.serve()
    await daemon.event('succeeded', 'op_1')
    expect(await site.run('ops', 'wait', 'op_1')).toMatchObject({ code: 0, stdout: 'done\n' })
  })

  it('refuses to start beside another daemon on the same folder, unless told to', async () => {
    const daemon = await site.serve()
    const refused = await site.run('serve')
    expect(refused.code).toBe(75)
    expect(refused.stderr).toContain(`: process ${daemon.child.pid} on `)
    await site.serve('--also')
    await daemon.stop('SIGKILL')
    // However it ended, nothing keeps the next daemon from starting.
    await site.serve()
  })

  it('continues when its log is no longer read', async () => {
    site.configure(script('work', 'echo done'))
    const daemon = await site.serve('--log-level', 'debug')
    daemon.child.stderr?.destroy()
    for (const stdout of ['done\n', 'done\n'])
      expect(await site.run('submit', 'work', '--wait')).toMatchObject({ code: 0, stdout })
    expect(await daemon.stop()).toBe(0)
  })

  it.runIf(existsSync('/proc/self'))('names a data folder that cannot be created, and why', async () => {
    expect(await site.run('serve', '--data', '/proc/x')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'mulligan serve: cannot make the folder /proc/x: /proc exists, but folders cannot be created in it (ENOENT)\n',
    })
  })

  it('says in one line why it cannot start, with the line of the config', async () => {
    site.configure(script('greet', 'echo').replace('"sh"]', '"{who}"]'))
    const { code, stderr } = await site.run('serve')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^mulligan serve: .*mulligan\.toml:2:1: capability "greet": "\{who\}" names .*\n$/)
  })

  it('kills the process tree of an operation that another process cancels', async () => {
    // A program, its background child, and a grandchild that ignores signals.
    const deaf = `trap "" TERM; echo $$ >> ${file('pids')}; while :; do sleep 1; done`
    const child = `echo $$ >> ${file('pids')}; sh -c '${deaf}' & wait`
    writeFileSync(file('child.sh'), child)
    site.configure(script('hang', `echo $$ >> ${file('pids')}; sh ${file('child.sh')} & wait; wait`))
    const daemon = await site.serveWithClock()
    await site.run('submit', 'hang')
    await eventually(() => linesOf('pids').length === 3)
    const pids = linesOf('pids').map(Number)
    expect(pids.map(isAlive)).toEqual([true, true, true])
    expect(await site.run('ops', 'cancel', 'op_1')).toMatchObject({
      code: 0,
      stdout: 'op_1: cancel requested, with everything it started\n',
    })
    // The others obey at once, and the deaf one is killed after a while; skip the wait.
    await eventually(() => pids.filter(isAlive).length === 1)
    daemon.advance(10_000)
    await daemon.event('dead', 'op_1')
    await eventually(() => !pids.some(isAlive))
    expect(await site.json('ops', 'show', 'op_1')).toMatchObject({ state: 'dead', dead_as: 'cancelled' })
    expect(daemon.lines.filter(({ event }) => event === 'claimed')).toHaveLength(1)
  })

  it('returns running operations to the queue on stop, without using a retry', async () => {
    site.configure(
      script(
        'slow',
        `echo run >> ${file('runs')}; test -e ${file('go')} || while :; do sleep 1; done`,
        'retry = "replay"',
      ),
    )
    const first = await site.serve('--grace', '1ms')
    await site.run('submit', 'slow')
    await eventually(() => linesOf('runs').length === 1)
    expect(await first.stop()).toBe(0)
    expect(await site.json('ops', 'show', 'op_1')).toMatchObject({
      state: 'scheduled',
      retries: 0,
      reason: 'its runner stopped',
    })
    expect((await site.run('ops', 'show', 'op_1')).stdout).toContain(
      'run 1 returned to the queue unfinished: its runner stopped',
    )
    writeFileSync(file('go'), '')
    const second = await site.serve()
    await second.event('succeeded', 'op_1')
    expect(linesOf('runs')).toHaveLength(2)
  })

  it('keeps its config if a reload finds a broken one, logs that, and takes the next valid one', async () => {
    site.configure(script('old', 'echo old'))
    const daemon = await site.serve()
    site.configure('[[capability]]\nname = "new"\nargs = ["echo"]\n')
    daemon.child.kill('SIGHUP')
    const told = await daemon.line(({ level }) => level === 'error')
    expect(told.msg).toContain('the new config is broken, keeping the old one: ')
    expect(told.msg).toContain('mulligan.toml:3:1')
    // The broken file keeps other processes from submitting, but not the daemon from running.
    expect(await site.run('submit', 'old')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('mulligan.toml:3:1'),
    })
    // Reading works, and says so; people are told.
    for (const command of [
      ['status'],
      ['ops', 'ls'],
      ['notices', 'ls'],
      ['providers', 'ls'],
      ['unknowns', 'ls'],
    ])
      expect(await site.run(...command)).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(
          /^mulligan: the config is broken, so all but its ledger [\s\S]*mulligan.toml:3:1/,
        ),
      })
    const inbox = async () => (await site.run('inbox')).stdout
    expect(await inbox()).toContain('  high  The changed config cannot be used')
    expect(await inbox()).toContain('mulligan.toml:3:1')
    writeFileSync(file('elsewhere.toml'), script('old', 'echo old'))
    expect(await site.run('submit', '--config', file('elsewhere.toml'), 'old', '--wait')).toMatchObject({
      stdout: 'old\n',
    })
    site.configure(script('new', 'echo new'))
    daemon.child.kill('SIGHUP')
    await daemon.line(({ capabilities }) => Array.isArray(capabilities) && capabilities.includes('new'))
    expect(await site.run('submit', 'new', '--wait')).toMatchObject({ stdout: 'new\n' })
    expect(await inbox()).toContain('  resolved  The changed config cannot be used')
  })

  it('lets running operations finish under the config they started with', async () => {
    const code = `echo run >> ${file('runs')}; while ! test -e ${file('go')}; do sleep 0.05; done; echo $1`
    const config = (word: string) => script('wait', code).replace('"sh"]', `"sh", "${word}"]`)
    site.configure(config('before'))
    const daemon = await site.serve()
    await site.run('submit', 'wait')
    await eventually(() => linesOf('runs').length === 1)
    site.configure(config('after'))
    daemon.child.kill('SIGHUP')
    await daemon.line(({ msg }) => String(msg).startsWith('config reloaded, 1 value changed'))
    writeFileSync(file('go'), '')
    expect(await site.run('ops', 'wait', 'op_1')).toMatchObject({ stdout: 'before\n' })
    expect(await site.run('submit', 'wait', '--wait')).toMatchObject({ stdout: 'after\n' })
  })

  it('repeats no verified effect and loses nothing when killed again and again', async () => {
    // The outside world is one log, which must contain each operation once, no matter when the kill came.
    const effects = file('effects')
    const hang = 'while :; do sleep 1; done'
    const code = `echo $1 >> ${file('begun')}
      run=$(grep -cx $1 ${file('begun')})
      case $1.$run in before-*.1) ${hang};; esac
      echo $1 >> ${effects}
      case $1.$run in after-*.1 | before-*.2) ${hang};; esac`
    site.configure(
      `[queue]\nconcurrency = 20\n${script(
        'pay',
        code,
        `retry = "verify_first"\nlease = "1s"\nparams = { who = {} }\nverify = { argv = ["grep", "-qx", "{who}", "${effects}"] }`,
      ).replace('"sh"]', '"sh", "{who}"]')}`,
    )
    const names = ['before', 'after', 'plain'].flatMap(stage => [1, 2].map(n => `${stage}-${n}`))
    writeFileSync(effects, '')
    const first = await site.serve()
    const submitted = await Promise.all(
      names.map(name => site.run('submit', 'pay', '--param', `who=${name}`)),
    )
    await eventually(() => linesOf('begun').length === 6 && linesOf('effects').length === 4)
    // The plain ones are recorded as done, so the kill hits only those that hang.
    const told = (daemon: TestDaemon, type: string) =>
      daemon.lines.filter(({ event }) => event === type).length
    await eventually(() => told(first, 'succeeded') === 2)
    await first.stop('SIGKILL')
    // Lost runs are recorded and retried after a while; skip the wait.
    const afterLosing = async (count: number) => {
      const daemon = await site.serveWithClock()
      await eventually(() => told(daemon, 'retrying') === count)
      daemon.advance(60_000)
      return daemon
    }
    const second = await afterLosing(4)
    await eventually(() => linesOf('effects').length >= 6 && told(second, 'succeeded') === 2)
    await second.stop('SIGKILL')
    const third = await afterLosing(2)
    for (const { stdout } of submitted)
      await Promise.any([first, second, third].map(daemon => daemon.event('succeeded', stdout.trim())))
    expect(linesOf('effects').sort()).toEqual([...names].sort())
    expect(linesOf('begun')).toHaveLength(8)
    expect(await site.json('status')).toMatchObject({ succeeded: 6, running: 0 })
    const lost = { failure: { kind: 'runner_lost', effect: 'maybe' } }
    const seen: Record<string, object[]> = {
      before: [lost, lost, { note: { verification: 'done' } }],
      after: [lost, { note: { verification: 'done' } }],
      plain: [{}],
    }
    const ledger = await openLedger({ file: file('.local/state/mulligan/ledger.db') })
    for (const { id, params } of (await ledger.list()).items) {
      const [stage = ''] = (params as { who: string }).who.split('-')
      expect(await ledger.attempts(id)).toMatchObject(seen[stage] as object[])
    }
    await ledger.close()
    expect(await site.run('ledger', 'check')).toMatchObject({ code: 0 })
  }, 180_000)

  it('logs that its ledger is gone, and continues when it is put back', async () => {
    site.configure(script('work', 'echo done'))
    const daemon = await site.serveWithClock()
    const state = file('.local/state')
    renameSync(state, file('elsewhere'))
    // The next write is the heartbeat of its runner.
    daemon.advance(60_000)
    const told = await daemon.line(({ level }) => level === 'error')
    expect(told.msg).toContain('ledger.db was deleted, replaced or moved while it was open: put it back')
    renameSync(file('elsewhere'), state)
    expect(await site.run('submit', 'work', '--wait')).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(await daemon.stop()).toBe(0)
    expect(daemon.lines.at(-1)?.msg).toBe('stopped; nothing was lost')
  })

  it("does not claim that nothing was lost if the ledger's log was overwritten, and leaves the file alone", async () => {
    site.configure(script('work', 'echo done'))
    const before = await site.serve()
    expect(await before.stop()).toBe(0)
    const daemon = await site.serve()
    expect(await site.run('submit', 'work', '--wait')).toMatchObject({ code: 0 })
    const ledger = file('.local/state/mulligan/ledger.db')
    const bytes = readFileSync(ledger)
    const log = `${ledger}-wal`
    writeFileSync(log, Buffer.alloc(statSync(log).size, 0x5a), { flag: 'r+' })
    expect(await daemon.stop()).toBe(1)
    expect(daemon.lines.at(-1)?.msg).toMatch(
      /mulligan serve: the ledger .* is damaged: ledger\.db-wal was overwritten or cut off/,
    )
    expect(daemon.lines.some(({ msg }) => String(msg).includes('nothing was lost'))).toBe(false)
    expect(readFileSync(ledger)).toEqual(bytes)
    expect(await site.run('ledger', 'check')).toMatchObject({ code: 0 })
  })

  it('obeys SIGTERM while it starts, even if a module never loads', async () => {
    site.configure('[queue]\nmodules = ["never.mjs"]\n')
    site.module(
      'never.mjs',
      `import { writeFileSync } from 'node:fs'
      writeFileSync('${file('loading')}', '')
      setInterval(() => {}, 1000)
      await new Promise(() => {})`,
    )
    const daemon = site.start()
    await eventually(() => existsSync(file('loading')))
    expect(await daemon.stop()).toBe(0)
  })

  it('treats a SIGHUP during its start as a reload, not as a stop', async () => {
    site.configure(`[queue]\nmodules = ["slow.mjs"]\n${script('old', 'echo old')}`)
    site.module(
      'slow.mjs',
      `import { existsSync, writeFileSync } from 'node:fs'
      writeFileSync('${file('loading')}', '')
      while (!existsSync('${file('go')}')) await new Promise(resolve => setTimeout(resolve, 5))
      export const work = capability('work', () => 'done')`,
    )
    const daemon = site.start()
    await eventually(() => existsSync(file('loading')))
    site.configure(`[queue]\nmodules = ["slow.mjs"]\n${script('new', 'echo new')}`)
    daemon.child.kill('SIGHUP')
    writeFileSync(file('go'), '')
    await daemon.line(({ capabilities }) => Array.isArray(capabilities) && capabilities.includes('new'))
    expect(await daemon.stop()).toBe(0)
  })

  it('exits after it stopped, even if user code left timers or unresponsive work behind', async () => {
    site.configure('[queue]\nmodules = ["work.mjs"]\n')
    site.module(
      'work.mjs',
      "export const deaf = capability('deaf', () => new Promise(() => setInterval(() => {}, 1000)))",
    )
    const daemon = await site.serveWithClock('--grace', '1ms')
    await site.run('submit', 'deaf')
    await daemon.event('claimed', 'op_1')
    const moving = setInterval(() => daemon.advance(1_000), 200)
    const code = await daemon.stop()
    clearInterval(moving)
    expect(code).toBe(0)
    expect(daemon.lines.at(-1)?.msg).toBe('stopped; nothing was lost')
    expect(await site.json('ops', 'show', 'op_1')).toMatchObject({ state: 'scheduled', retries: 0 })
  })

  it('exits even if it cannot stop cleanly, and says so', async () => {
    const daemon = await site.serveWithClock('--grace', '1ms')
    const other = new DatabaseSync(file('.local/state/mulligan/ledger.db'))
    // Another process locks the ledger and keeps the daemon from recording its end.
    other.exec('BEGIN IMMEDIATE')
    const moving = setInterval(() => daemon.advance(100), 10)
    const code = await daemon.stop()
    clearInterval(moving)
    expect(code).toBe(70)
    expect(daemon.lines.at(-1)?.msg).toMatch(/^could not stop cleanly within 4501 ms/)
    other.close()
  })

  it('is what npm start runs, and gets the signals of its parent', async () => {
    const bootstrap = fileURLToPath(new URL('../../../scripts/bootstrap.mjs', import.meta.url))
    const daemon = new TestDaemon([process.execPath, bootstrap, 'start', '--data', file('state')], {
      cwd: site.folder,
      env: { ...site.env, MULLIGAN_SKIP_INSTALL: '1' },
    })
    await daemon.ready()
    expect(await daemon.stop()).toBe(0)
  })
})
