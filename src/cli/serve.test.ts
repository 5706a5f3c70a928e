import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CLAUDE_ANSWER, eventually, isAlive, Stubs } from '../agent/test-stub.ts'
import { Site, TestDaemon } from './test-daemon.ts'

let stubs: Stubs
let site: Site
beforeEach(() => {
  stubs = new Stubs()
  site = new Site(stubs.folder)
})
afterEach(() => site.close())

const file = (name: string) => join(site.folder, name)
const linesOf = (name: string) =>
  existsSync(file(name)) ? readFileSync(file(name), 'utf8').split('\n').slice(0, -1) : []

/** A capability that is a shell script; its first word is the folder of the test. */
const script = (name: string, code: string, more = '') =>
  `[[capability]]\nname = "${name}"\nargv = ["sh", "-c", ${JSON.stringify(code)}, "sh"]\n${more}\n`

const worked = `out({type:'system',subtype:'init',session_id:'s-1'}); out({type:'assistant',session_id:'s-1',message:{id:'m',role:'assistant',content:[{type:'text',text:'on it'}]}})`
const answer = `out(${JSON.stringify(CLAUDE_ANSWER)})`
/** A run that ends at a limit; `words` is an expression. */
const limit = (words: string) =>
  `out({ ...${JSON.stringify({ ...CLAUDE_ANSWER, is_error: true, num_turns: 1, total_cost_usd: 0.1, api_error_status: 429 })}, result: ${words} }); end(1)`
const codexAnswers = `out({type:'thread.started',thread_id:'t-1'}); out({type:'item.completed',item:{type:'agent_message',text:'codex did it'}}); out({type:'turn.completed',usage:{}})`

describe('the daemon', () => {
  it('works without any config, and says how to add a capability', async () => {
    const daemon = await site.serve()
    expect((await daemon.ready()).msg).toContain(
      'no capabilities (add one to mulligan.toml with [[capability]]',
    )
    expect(await daemon.stop()).toBe(0)
    expect(daemon.lines.at(-1)?.msg).toBe('stopped; nothing was lost')
  })

  it('says what it found, and runs what another process submits and awaits', async () => {
    site.configure(
      `[[provider]]\nid = "claude"\n${script('greet', 'echo "hello $1"').replace('"sh"]', '"sh", "{who}"]\nparams = { who = {} }')}`,
    )
    const daemon = await site.serve()
    expect(await daemon.ready()).toMatchObject({
      providers: [{ id: 'claude', admits: true }],
      capabilities: ['greet'],
      queue: { queued: 0, due: 0, running: 0, parked: 0, dead: 0 },
    })
    expect(await site.run('submit', 'greet', '--param', 'who=7', '--wait')).toEqual({
      code: 0,
      stdout: 'hello 7\n',
      stderr: '',
    })
  })

  it('gives a program its secret by a variable or by stdin, and keeps it out of all that is written', async () => {
    mkdirSync(file('work'))
    site.configure(`[queue]
data = "state"
[[capability]]
name = "sign"
argv = ["sh", "-c", 'echo "{\\"by\\": \\"$TOKEN\\", \\"read\\": \\"$(cat)\\", \\"in\\": \\"$(basename $PWD)\\"}"']
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
      stderr: '',
    })
    await daemon.stop()
    const written = readdirSync(file('state')).map(name => readFileSync(join(file('state'), name), 'latin1'))
    expect([...written, JSON.stringify(daemon.lines)].join()).not.toContain('hush')
  })

  it('runs what was submitted before it was there', async () => {
    site.configure(script('work', 'echo done'))
    const submitted = await site.run('submit', 'work')
    expect(submitted).toMatchObject({
      code: 0,
      stdout: 'op_1\n',
      stderr: expect.stringContaining('no runner is alive, so it waits until one is'),
    })
    const daemon = await site.serve()
    await daemon.event('succeeded', 'op_1')
    expect(await site.run('ops', 'wait', 'op_1')).toMatchObject({ code: 0, stdout: 'done\n' })
  })

  it('refuses to start beside another on the same folder, unless told to', async () => {
    const daemon = await site.serve()
    const refused = await site.run('serve')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(`already: process ${daemon.child.pid} on `)
    await site.serve('--also')
    await daemon.stop('SIGKILL')
    // However it ended, nothing is left that keeps the next one out.
    await site.serve()
  })

  it('goes on when nobody reads its log any more', async () => {
    site.configure(script('work', 'echo done'))
    const daemon = await site.serve('--log-level', 'debug')
    daemon.child.stderr?.destroy()
    for (const stdout of ['done\n', 'done\n'])
      expect(await site.run('submit', 'work', '--wait')).toMatchObject({ code: 0, stdout })
    expect(await daemon.stop()).toBe(0)
  })

  it.runIf(existsSync('/proc/self'))('says at once which data folder cannot be made, and why', async () => {
    expect(await site.run('serve', '--data', '/proc/x')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'mulligan serve: cannot make the folder /proc/x: /proc is there, but takes no folders (ENOENT)\n',
    })
  })

  it('says in one line why it cannot start, with the place in the config', async () => {
    site.configure(script('greet', 'echo').replace('"sh"]', '"{who}"]'))
    const { code, stderr } = await site.run('serve')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^mulligan serve: .*mulligan\.toml:2:1: capability "greet": "\{who\}" names .*\n$/)
  })

  it('ends the whole tree of an operation that another process cancels', async () => {
    site.configure(script('hang', `sh -c 'echo $$ > ${file('pid')}; while :; do sleep 1; done'`))
    const daemon = await site.serve()
    await site.run('submit', 'hang')
    await eventually(() => linesOf('pid').length === 1)
    expect(await site.run('ops', 'cancel', 'op_1')).toMatchObject({
      code: 0,
      stdout: 'op_1: told to stop, with everything it started\n',
    })
    await daemon.event('dead', 'op_1')
    await eventually(() => !isAlive(Number(linesOf('pid')[0])))
    expect(await site.json('ops', 'show', 'op_1')).toMatchObject({ state: 'dead', dead_as: 'cancelled' })
  })

  it('gives back what runs when it is told to stop, and uses up no retry', async () => {
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
      'run 1 was given back unfinished: its runner stopped',
    )
    writeFileSync(file('go'), '')
    const second = await site.serve()
    await second.event('succeeded', 'op_1')
    expect(linesOf('runs')).toHaveLength(2)
  })

  it('keeps its config when a reload finds a broken one, says so, and takes the next right one', async () => {
    site.configure(script('old', 'echo old'))
    const daemon = await site.serve()
    site.configure('[[capability]]\nname = "new"\nargs = ["echo"]\n')
    daemon.child.kill('SIGHUP')
    const told = await daemon.line(({ level }) => level === 'error')
    expect(told.msg).toContain('the config is broken, the one before stays in force: ')
    expect(told.msg).toContain('mulligan.toml:3:1')
    // The broken file keeps submit from reading it, not the daemon from running.
    site.configure(script('old', 'echo old'))
    expect(await site.run('submit', 'old', '--wait')).toMatchObject({ stdout: 'old\n' })
    site.configure(script('new', 'echo new'))
    daemon.child.kill('SIGHUP')
    await daemon.line(({ capabilities }) => Array.isArray(capabilities) && capabilities.includes('new'))
    expect(await site.run('submit', 'new', '--wait')).toMatchObject({ stdout: 'new\n' })
  })

  it('lets what runs go on under the config that it began with', async () => {
    const code = `echo run >> ${file('runs')}; while ! test -e ${file('go')}; do sleep 0.05; done; echo $1`
    const config = (word: string) => script('wait', code).replace('"sh"]', `"sh", "${word}"]`)
    site.configure(config('before'))
    const daemon = await site.serve()
    await site.run('submit', 'wait')
    await eventually(() => linesOf('runs').length === 1)
    site.configure(config('after'))
    daemon.child.kill('SIGHUP')
    await daemon.line(({ msg }) => String(msg).startsWith('the config was read again, 1 value changed'))
    writeFileSync(file('go'), '')
    expect(await site.run('ops', 'wait', 'op_1')).toMatchObject({ stdout: 'before\n' })
    expect(await site.run('submit', 'wait', '--wait')).toMatchObject({ stdout: 'after\n' })
  })

  it('does no verified effect twice, and loses nothing, when it is killed', async () => {
    site.configure(
      script(
        'pay',
        `echo paid >> ${file('effects')}; test -e ${file('killed')} || while :; do sleep 1; done`,
        `retry = "verify_first"\nlease = "1s"\nverify = { argv = ["grep", "-q", "paid", "${file('effects')}"] }`,
      ),
    )
    const first = await site.serve()
    await site.run('submit', 'pay')
    await eventually(() => linesOf('effects').length === 1)
    await first.stop('SIGKILL')
    writeFileSync(file('killed'), '')
    const second = await site.serve()
    await second.event('succeeded', 'op_1')
    expect(linesOf('effects')).toEqual(['paid'])
    expect(await site.json('ops', 'show', 'op_1')).toMatchObject({
      state: 'succeeded',
      run: expect.any(Number),
      history: [{ failure: { kind: 'runner_lost', effect: 'maybe' } }, { note: { verification: 'done' } }],
    })
    expect((await site.run('ops', 'show', 'op_1')).stdout).toContain(
      'try 2 found its effect there, so it was not run again (took ',
    )
  })

  it('continues the session of a run that met a usage limit, once the limit is over', async () => {
    site.configure(`[[provider]]
id = "claude"
cli = "claude"
[[capability]]
name = "ask"
agent = { prompt = "another question" }
provider = "claude"
`)
    const daemon = await site.serve()
    const used = limit("'Claude AI usage limit reached|' + (Math.floor(Date.now() / 1000) + 10)")
    stubs.make('claude', `if (start === 1) { ${worked}; ${used} } else { ${answer} }`)
    const handedOver = await site.run(
      'run',
      '--queue',
      '--budget',
      '6s',
      '--provider',
      'claude',
      '--',
      'fix it',
    )
    expect(handedOver).toMatchObject({ code: 75, stdout: 'op_1\n' })
    expect(handedOver.stderr).toContain('Not done yet: it is run at ')
    // While the provider is blocked, work that needs it is held and not tried.
    await daemon.event('provider_blocked')
    const asked = (await site.run('submit', 'ask')).stdout.trim()
    await daemon.event('held', asked)
    expect(await site.json('ops', 'show', 'op_1')).toMatchObject({
      state: 'scheduled',
      mode: 'resume',
      agent_session: 's-1',
      remaining_retries: 5,
    })
    expect(await site.run('ops', 'wait', 'op_1')).toMatchObject({ code: 0, stdout: 'All tests pass.\n' })
    await daemon.event('succeeded', asked)
    const [first, ...later] = stubs.starts('claude')
    expect(first?.input).toBe('fix it')
    expect(later.map(({ args }) => args.join(' ').includes('--resume s-1')).sort()).toEqual([false, true])
    expect(await site.json('ops', 'show', 'op_1')).toMatchObject({
      state: 'succeeded',
      retries: 0,
      snoozes: 1,
      history: [{ session_id: 's-1', failure: { kind: 'usage_limit' } }, { session_id: 's-1' }],
    })
  })

  it('avoids a provider that another process found at its limit', async () => {
    site.configure(`[[provider]]
id = "claude"
cli = "claude"
[[provider]]
id = "codex"
cli = "codex"
[[pool]]
id = "both"
providers = ["claude", "codex"]
[[capability]]
name = "ask"
agent = { prompt = "go" }
pool = "both"
`)
    stubs.make('claude', limit(`"You've hit your weekly limit"`))
    stubs.make('codex', codexAnswers)
    const daemon = await site.serve()
    expect((await site.run('run', '--provider', 'claude', '--', 'x')).code).toBe(75)
    await daemon.event('provider_blocked')
    expect(await site.run('submit', 'ask', '--wait')).toMatchObject({ code: 0, stdout: 'codex did it\n' })
    expect(stubs.starts('claude')).toHaveLength(1)
  })

  it('is what npm start runs, and hears what its parent is told', async () => {
    const bootstrap = fileURLToPath(new URL('../../scripts/bootstrap.mjs', import.meta.url))
    const daemon = new TestDaemon([process.execPath, bootstrap, 'start', '--data', file('state')], {
      cwd: site.folder,
      env: site.env,
    })
    await daemon.ready()
    expect(await daemon.stop()).toBe(0)
  })
})
