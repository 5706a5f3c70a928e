import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { answer, codexAnswer, refuse } from '../../../test/agent/bodies.ts'
import { eventually, isAlive, Stubs } from '../../../test/agent/stub.ts'
import { BUILT_COMMAND } from '../../../test/cli/command.ts'
import { runCommand } from '../../../test/cli/terminal.ts'
import type { CallEvent } from '../../call/event.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { exitCodeOf } from '../exit-code.ts'
import { escapingTerminal } from '../print/escaping-terminal.ts'
import { Progress } from '../print/progress.ts'
import type { Terminal } from '../terminal.ts'

let stubs: Stubs
beforeEach(() => {
  stubs = new Stubs()
})

const running = (...argv: string[]) =>
  runCommand(['run', ...argv], {
    cwd: stubs.folder,
    env: { PATH: stubs.folder },
    stdin: 'a prompt from stdin',
  })

describe('mulligan run', () => {
  it('prints the answer alone on stdout, without any config', async () => {
    stubs.make('claude', answer())
    const { code, stdout, stderr } = await running('--provider', 'claude', '--', 'fix', 'the', 'test')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'All tests pass.\n' })
    expect(stderr).toBe('try 1: claude\n')
    expect(stubs.starts('claude')[0]).toMatchObject({ input: 'fix the test', cwd: stubs.folder })
  })

  it('reports each failover in a sentence', async () => {
    stubs.make('claude', refuse({ api_error_status: 400, result: 'Credit balance is too low' }))
    stubs.make('codex', codexAnswer)
    const { code, stdout, stderr } = await running('--pool', 'claude,codex', '--', 'fix it')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'codex did it\n' })
    expect(stderr.split('\n')).toEqual([
      'try 1: claude',
      expect.stringMatching(/^claude failed after .*: throttle\/billing: Credit balance is too low$/),
      'switching from claude to codex: Credit balance is too low',
      'try 2: codex',
      '',
    ])
  })

  it('uses the installed agents if none is named', async () => {
    stubs.make('codex', codexAnswer)
    expect(await running('--', 'fix it')).toMatchObject({ code: 0, stdout: 'codex did it\n' })
  })

  it('prints the outcome as JSON, in snake_case', async () => {
    stubs.make('claude', answer({ structured_output: { fixed: 1 } }))
    const { stdout } = await running('--provider', 'claude', '--json', '--', 'fix it')
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      text: 'All tests pass.',
      structured: { fixed: 1 },
      session_id: 's-1',
      denied_tools: [],
      provider: 'claude',
      cost_usd: 0.12,
      turns: 3,
      duration_ms: expect.any(Number),
      usage: { input_tokens: 150, output_tokens: 20, cached_tokens: 50 },
      total_cost_usd: 0.12,
      attempts: [
        {
          number: 1,
          provider: 'claude',
          started_at: expect.stringMatching(/Z$/),
          duration_ms: expect.any(Number),
          cost_usd: 0.12,
          tokens: 170,
        },
      ],
    })
  })

  it('prints a failure as JSON with session, cost and verdict', async () => {
    stubs.make(
      'claude',
      refuse({
        subtype: 'error_max_turns',
        errors: ['Reached maximum number of turns (3)'],
        num_turns: 3,
        total_cost_usd: 0.4,
      }),
    )
    const { code, stdout } = await running(
      '--provider',
      'claude',
      '--max-turns',
      '3',
      '--json',
      '--',
      'fix it',
    )
    expect(code).toBe(125)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      failure: { class: 'rail', kind: 'max_turns', session_id: 's-1', cost_usd: 0.4, turns: 3 },
      verdict: { action: 'cancel', as: 'stopped' },
      session_id: 's-1',
      cost_usd: 0.4,
    })
    expect(stubs.starts('claude')[0]?.args.join(' ')).toContain('--max-turns 3')
  })

  it.each<[string, string, string[], number]>([
    [
      'a permanent failure',
      refuse({ api_error_status: 400, result: 'API Error: 400 messages: invalid' }),
      [],
      1,
    ],
    ['a login', refuse({ api_error_status: 401, result: 'Invalid API key · Fix external API key' }), [], 77],
    ['a throttle', refuse({ api_error_status: 429, result: "You've hit your weekly limit" }), [], 75],
    [
      'a transient failure',
      refuse({ api_error_status: 500, result: 'API Error: 500 oops' }),
      ['--retries', '0'],
      75,
    ],
    ['an unknown failure', `warn('gibberish happened here'); end(1)`, [], 70],
    ['a deadline', 'hang()', ['--budget', '300ms'], 124],
    ['a missing program', '', ['--option', 'binary=/nowhere'], 1],
    ['an option that the CLI lacks', '', ['--option', 'max_budget_usd=1', '--provider', 'codex'], 1],
  ])('exits by the kind of failure: %s', async (_title, body, flags, code) => {
    stubs.make('claude', body)
    stubs.make('codex', '')
    const provider = flags.includes('--provider') ? [] : ['--provider', 'claude']
    const ran = await running(...provider, ...flags, '--', 'fix it')
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining('mulligan run: ') })
  })

  it.each<[string[], string]>([
    [['--', ''], 'no PROMPT'],
    [['--provider', 'cloude', '--', 'x'], 'unknown agent "cloude"'],
    [['--provider', 'claude', '--pool', 'claude', '--', 'x'], 'use --provider or --pool'],
    [['--budget', 'soon', '--', 'x'], '--budget takes a duration'],
    [['--max-cost', '-1', '--', 'x'], '--max-cost'],
    [['--max-turns', '0', '--', 'x'], '--max-turns takes a whole number'],
    [['--option', 'effort=turbo', '--', 'x'], 'option effort: must be one of low'],
    [['--option', 'nope', '--', 'x'], '--option takes NAME=VALUE'],
    [['--resume', 's-1', '--', 'x'], '--resume needs --provider'],
    [['--budgt', '1m', '--', 'x'], 'did you mean --budget?'],
  ])('refuses %j', async (argv, message) => {
    expect(await running(...argv)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(message),
    })
  })

  it('reads the prompt from stdin with -', async () => {
    stubs.make('claude', answer())
    await running('--provider', 'claude', '-')
    expect(stubs.starts('claude')[0]?.input).toBe('a prompt from stdin')
  })

  it('says that no agent is installed, also in JSON', async () => {
    const { code, stdout, stderr } = await running('--json', '--', 'x')
    expect(code).toBe(1)
    expect(stderr).toContain('no agent CLI is installed')
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, failure: { kind: 'binary_not_found' } })
  })

  it('says how to resume the session', async () => {
    const worked = `out({type:'assistant',session_id:'s-1',message:{id:'m',content:[]}})`
    stubs.make(
      'claude',
      `${worked}; ${refuse({ subtype: 'error_max_turns', errors: ['Reached maximum number of turns (3)'] })}`,
    )
    const { stderr } = await running('--provider', 'claude', '--', 'x')
    expect(stderr).toContain(
      `to resume: mulligan run --provider claude --cwd ${stubs.folder} --resume s-1 -- "go on"`,
    )
    await running('--provider', 'claude', '--resume', 's-1', '--', 'go on')
    expect(stubs.starts('claude').at(-1)).toMatchObject({ input: 'go on' })
    expect(stubs.starts('claude').at(-1)?.args.join(' ')).toContain('--resume s-1')
  })
})

describe('the default bounds of mulligan run', () => {
  it('are an hour, and two hundred turns unless the provider sets its own', async () => {
    stubs.make('claude', answer())
    const turns = () => {
      const args = stubs.starts('claude').at(-1)?.args ?? []
      return args[args.indexOf('--max-turns') + 1]
    }
    await running('--provider', 'claude', '--', 'x')
    expect(turns()).toBe('200')
    await running('--provider', 'claude', '--max-turns', '7', '--', 'x')
    expect(turns()).toBe('7')
    writeFileSync(
      join(stubs.folder, 'mulligan.toml'),
      '[[provider]]\nid = "claude"\ndefaults = { max_turns = 900 }\n',
    )
    await running('--provider', 'claude', '--config', 'mulligan.toml', '--', 'x')
    expect(turns()).toBe('900')
    const { stdout } = await running('--provider', 'claude', '--json', '--dry-run', '--', 'x')
    expect(JSON.parse(stdout)).toMatchObject({ budget_ms: 3_600_000 })
  })

  it('end a loop of a CLI without such a limit', async () => {
    const step = `out({type:'step_start',sessionID:'ses_1',part:{}}); out({type:'tool_use',sessionID:'ses_1',part:{}}); out({type:'step_finish',sessionID:'ses_1',part:{reason:'tool-calls',cost:0,tokens:{}}})`
    stubs.make('opencode', `for (let n = 0; n < 250; n++) { ${step} } hang()`)
    const { code, stdout } = await running('--provider', 'opencode', '--json', '--', 'x')
    expect({ code, failure: JSON.parse(stdout).failure.kind }).toEqual({ code: 125, failure: 'max_turns' })
  })
})

it('names every kept worktree, also of failed tries, and says whether it has changes', async () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: stubs.folder })
  git('init', '-q')
  git('commit', '-q', '--allow-empty', '-m', 'first')
  const write = `fs.writeFileSync('half.txt', 'half')`
  stubs.make('claude', `${write}; ${refuse({ api_error_status: 400, result: 'Credit balance is too low' })}`)
  stubs.make('codex', `fs.writeFileSync('whole.txt', 'whole'); ${codexAnswer}`)
  const env = {
    PATH: `${stubs.folder}:${process.env.PATH}`,
    XDG_STATE_HOME: join(stubs.folder, '.git', 'state'),
  }
  const argv = ['run', '--pool', 'claude,codex', '--worktree']
  const { stderr } = await runCommand([...argv, '--', 'x'], { cwd: stubs.folder, env })
  expect(stderr).toMatch(/^the work of a failed try is in .* \(branch mulligan\/.*\)$/m)
  expect(stderr).toMatch(/^its work is in .* \(branch mulligan\/.*\)$/m)
  stubs.make('codex', codexAnswer)
  const fresh = { ...env, XDG_STATE_HOME: join(stubs.folder, '.git', 'state2') }
  const { stdout } = await runCommand([...argv, '--json', '--', 'x'], { cwd: stubs.folder, env: fresh })
  const { worktrees_left: left, worktree } = JSON.parse(stdout)
  expect(left).toMatchObject([{ changed: true, path: expect.stringContaining('state') }])
  expect(readFileSync(join(left[0].path, 'half.txt'), 'utf8')).toBe('half')
  // The worktree of the answer has no changes, so it was removed and is not named.
  expect(worktree).toBeUndefined()
})

describe('mulligan run --dry-run', () => {
  it('says that nothing is installed, and how to fix that', async () => {
    expect(await running('--dry-run', '--', 'x')).toMatchObject({
      code: 1,
      stderr: 'no agent CLI is installed; "mulligan doctor" says how to get one\n',
    })
  })

  it('refuses a missing folder', async () => {
    expect(await running('--dry-run', '--cwd', '/no/such', '--', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--cwd: no folder /no/such'),
    })
  })

  it('prints what would start, with which options and why, and starts nothing', async () => {
    stubs.make('claude', answer())
    const { code, stdout } = await running(
      '--pool',
      'claude,codex',
      '--budget',
      '10m',
      '--max-cost',
      '2',
      '--option',
      'append_system_prompt=private',
      '--dry-run',
      '--',
      'a private prompt',
    )
    expect(code).toBe(0)
    expect(stdout).toContain('Agents: --pool lists them.')
    expect(stdout).toContain('Budget: 10 min, $2.00')
    expect(stdout).toContain('--append-system-prompt-file (private file) --max-turns 200 --max-budget-usd 2')
    expect(stdout).toMatch(/2\. codex: cannot start: option maxBudgetUsd/)
    expect(stdout).not.toContain('private prompt')
    expect(stubs.starts('claude')).toEqual([])
  })

  it('quotes arguments for the shell, because people copy the line', async () => {
    stubs.make('claude', answer())
    const { stdout } = await running('--provider', 'claude', '--model', '$(id)', '--dry-run', '--', 'x')
    expect(stdout).toContain("--model '$(id)'")
  })

  it('prints JSON, and exits with 1 if nothing could start', async () => {
    const { code, stdout } = await running('--provider', 'claude', '--json', '--dry-run', '--', 'x')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      agents: [{ provider: 'claude', prompt_by: 'stdin', problem: 'program claude not found' }],
    })
  })
})

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 130],
] as const)('%s ends the agent and its tree, with exit code %i', async (signal, code) => {
  const pids = join(stubs.folder, 'pids')
  stubs.make(
    'claude',
    `require('node:child_process').spawn('sh', ['-c', 'echo $$ > ${pids}; while :; do sleep 1; done'], { stdio: 'ignore' }); hang()`,
  )
  const child = spawn(process.execPath, [BUILT_COMMAND, 'run', '--provider', 'claude', '--', 'x'], {
    env: { ...process.env, PATH: `${stubs.folder}:${process.env.PATH}` },
    stdio: 'ignore',
  })
  const ended = new Promise(resolve => child.once('exit', resolve))
  await eventually(() => existsSync(pids) && readFileSync(pids, 'utf8').endsWith('\n'))
  child.kill(signal)
  expect(await ended).toBe(code)
  await eventually(() => !isAlive(Number(readFileSync(pids, 'utf8'))))
})

describe('exit codes', () => {
  it('tell a try that no provider could serve from others', () => {
    const failure = classify({ status: 429 }) as Failure
    expect(exitCodeOf(failure)).toBe(75)
    expect(exitCodeOf({ ...failure, origin: 'gate' })).toBe(69)
  })
})

describe('the live line', () => {
  const events: CallEvent[] = [
    {
      call: 'c',
      name: 'agent',
      at: 0,
      type: 'attempt.started',
      attempt: 1,
      provider: 'claude',
      remainingMs: 60_000,
      passedOver: [{ provider: 'codex', reason: 'blocked: no login' }],
    },
    {
      call: 'c',
      name: 'agent',
      at: 0,
      type: 'waiting',
      delayMs: 5_000,
      until: 5_000,
      reason: 'the provider asked to',
    },
  ]

  it('shows provider, attempt, time, remaining budget and cost, and is cleared at the end', async () => {
    let stderr = ''
    const terminal = escapingTerminal({
      stderr: (text: string | Buffer) => {
        stderr += text
      },
    } as Terminal)
    const time = new FakeTime()
    const progress = new Progress(terminal, { budgetMs: 60_000, isLive: true, time })
    for (const event of events) progress.onEvent(event)
    progress.spent(0.25)
    await time.advance(2_000)
    expect(stderr.split('\r\u001b[K')).toEqual([
      '',
      'skipping codex: blocked: no login\n',
      'claude · try 1 · 1 s · 1 min left',
      'waiting 5 s: the provider asked to\n',
      'claude · try 1, waiting · 1 s · 1 min left',
      'claude · try 1, waiting · 1 s · 59 s left · $0.25',
      'claude · try 1, waiting · 2 s · 58 s left · $0.25',
    ])
    progress.stop()
    expect(time.pending).toBe(0)
  })
})
