import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { CLAUDE_ANSWER, Stubs } from '../../../test/agent/stub.ts'
import { BUILT_COMMAND } from '../../../test/cli/command.ts'
import { runCommand } from '../../../test/cli/terminal.ts'

let folder: string
let stubs: Stubs
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-providers-'))
  stubs = new Stubs()
})

const CONFIG = `
[queue]
data = "state"

[[provider]]
id = "claude"
caps = [{ per = "day", usd = 20 }]

[[provider]]
id = "codex"
probe = { argv = ["probing"] }

[[pool]]
id = "coding"
providers = ["claude", "codex"]

[[council]]
id = "review"
members = [{ name = "c", provider = "claude" }, { name = "x", provider = "codex" }]
`

const configure = (text = CONFIG) => writeFileSync(join(folder, 'mulligan.toml'), text)
const mulligan = (...argv: string[]) =>
  runCommand(argv, {
    cwd: folder,
    env: { PATH: `${stubs.folder}:${process.env.PATH}` },
    now: Date.now,
  })
const json = async (name: string, ...argv: string[]) =>
  JSON.parse((await mulligan(name, '--json', ...argv)).stdout)

const limited = () =>
  stubs.make(
    'claude',
    `out(${JSON.stringify({ ...CLAUDE_ANSWER, is_error: true, num_turns: 1, total_cost_usd: 0, usage: {}, api_error_status: 429, result: "You've hit your weekly limit" })}); end(1)`,
  )
const codexAnswers = () =>
  stubs.make(
    'codex',
    `out({type:'thread.started',thread_id:'t-1'}); out({type:'item.completed',item:{type:'agent_message',text:'codex did it'}}); out({type:'turn.completed',usage:{}})`,
  )

describe('mulligan providers', () => {
  it('says that there is none, and creates no state', async () => {
    const { code, stdout } = await mulligan('providers', 'ls')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('No provider is configured'),
    })
    expect(existsSync(join(folder, '.local'))).toBe(false)
  })

  it('shows the configured ones with their windows', async () => {
    configure()
    const { stdout } = await mulligan('providers', 'ls')
    expect(stdout).toMatch(
      /^claude {2}ready\n {8}window day: \$0\.00 of \$20\.00, until .*\ncodex {3}ready\n$/,
    )
  })

  it('show a limit that an earlier command met, and its failure', async () => {
    configure()
    limited()
    codexAnswers()
    expect(await mulligan('run', '--pool', 'coding', '--', 'x')).toMatchObject({
      code: 0,
      stdout: 'codex did it\n',
    })
    const shown = await mulligan('providers', 'show', 'claude')
    expect(shown.stdout).toMatch(/^claude: blocked until .*You've hit your weekly limit/)
    expect(shown.stdout).toContain('by throttle/usage_limit')
    expect(await json('providers', 'show', 'claude')).toMatchObject({
      id: 'claude',
      admits: false,
      breaker: { state: 'closed' },
      blocks: [{ scope: { quota: 'claude' }, failure: { kind: 'usage_limit', provider: 'claude' } }],
    })
    // The next command skips it, and says why.
    const next = await mulligan('run', '--pool', 'coding', '--', 'x')
    expect(next.stderr).toContain('skipping claude: blocked until')
    expect(stubs.starts('claude')).toHaveLength(1)
    const alone = await mulligan('run', '--provider', 'claude', '--', 'x')
    expect(alone.code).toBe(69)
  })

  it("show a limit that a run met and got over, recognised by the operator's signature", async () => {
    configure(`[[provider]]\nid = "claude"\nerror_signatures = { throttle = ["on holiday"] }\n`)
    stubs.make('claude', `warn('half of the fleet is on holiday'); out(${JSON.stringify(CLAUDE_ANSWER)})`)
    const first = await mulligan('run', '--pool', 'claude,codex', '--', 'x')
    expect(first).toMatchObject({ code: 0, stdout: 'All tests pass.\n' })
    // The pause is too short to be met by another command on a slow machine; that it was set stays known for a minute.
    expect(await json('providers', 'show', 'claude')).toMatchObject({
      paced: [{ failure: { kind: 'rate_limit', evidence: { rule: 'signature:on holiday' } } }],
    })
  })

  it('are shown by a dry run if they would be skipped', async () => {
    configure()
    limited()
    codexAnswers()
    await mulligan('run', '--provider', 'claude', '--', 'x')
    const { code, stdout } = await mulligan('run', '--pool', 'coding', '--dry-run', '--', 'x')
    expect(code).toBe(0)
    expect(stdout).toMatch(/1\. claude\n {3}skipped now: blocked until .*weekly limit/)
    expect(await json('run', '--provider', 'claude', '--dry-run', '--', 'x')).toMatchObject({
      agents: [
        { provider: 'claude', passed_over: expect.stringContaining('blocked'), until: expect.any(String) },
      ],
    })
    expect((await mulligan('run', '--provider', 'claude', '--dry-run', '--', 'x')).code).toBe(69)
  })

  it('are reset by hand', async () => {
    configure()
    limited()
    await mulligan('run', '--provider', 'claude', '--', 'x')
    expect(await mulligan('providers', 'reset', 'claude')).toMatchObject({
      code: 0,
      stdout: 'claude: ready\n',
    })
    expect(await json('providers', 'ls')).toMatchObject({ providers: [{ admits: true }, { admits: true }] })
  })

  it('are paused and resumed by hand, also for other processes', async () => {
    configure()
    const paused = await promisify(execFile)(
      process.execPath,
      [BUILT_COMMAND, 'providers', 'pause', 'codex', '--reason', 'the bill'],
      { cwd: folder },
    )
    expect(paused.stdout).toBe('codex: paused: the bill\n')
    expect(await json('providers', 'show', 'codex')).toMatchObject({
      admits: false,
      paused: { reason: 'the bill' },
    })
    expect((await mulligan('providers', 'resume', 'codex')).stdout).toBe('codex: ready\n')
  })

  it('are probed on demand', async () => {
    configure()
    stubs.make('probing', `say('fine')`)
    expect(await mulligan('providers', 'probe')).toMatchObject({ code: 0, stdout: 'codex: answered\n' })
    expect(await mulligan('providers', 'probe', 'claude')).toMatchObject({
      code: 1,
      stdout: 'claude: skipped: it has no probe\n',
    })
    stubs.make('probing', `warn('Error: 401 Unauthorized'); end(1)`)
    expect(await json('providers', 'probe', 'codex')).toMatchObject({
      probes: [{ provider: 'codex', outcome: 'failed', failure: { kind: 'auth' } }],
    })
  })

  it.each<[string[], string]>([
    [['show', 'cloude'], 'unknown provider "cloude"; did you mean "claude"?'],
    [['show'], 'providers show needs a PROVIDER'],
    [['reste', 'claude'], 'did you mean "providers reset"?'],
    [[], 'missing subcommand; one of: ls, show'],
  ])('refuse %j', async (argv, message) => {
    configure()
    expect(await mulligan('providers', ...argv)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    })
  })

  it('serve the council of the config', async () => {
    configure()
    stubs.make('claude', `out(${JSON.stringify(CLAUDE_ANSWER)})`)
    codexAnswers()
    expect(await json('council', '--council', 'review', '--', 'is it right?')).toMatchObject({
      successes: [
        { member: 'c', answer: 'All tests pass.' },
        { member: 'x', answer: 'codex did it' },
      ],
    })
    expect(await mulligan('council', '--council', 'reviews', '--', 'q')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean "review"?'),
    })
  })

  it('serve a run even if state cannot be kept', async () => {
    writeFileSync(join(folder, 'a-file'), '')
    stubs.make('claude', `out(${JSON.stringify(CLAUDE_ANSWER)})`)
    const ran = await mulligan(
      'run',
      '--provider',
      'claude',
      '--data',
      join(folder, 'a-file', 'x'),
      '--',
      'x',
    )
    expect(ran).toMatchObject({
      code: 0,
      stdout: 'All tests pass.\n',
      stderr: expect.stringContaining('limits are not shared'),
    })
  })
})
