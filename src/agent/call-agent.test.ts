import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type CallEvent, type CallFailed, isCallFailed } from '../call/index.ts'
import { Health } from '../provider/index.ts'
import { FakeTime } from '../testing/fake-time.ts'
import { realTime } from '../time/index.ts'
import {
  type AgentCallOptions,
  type AgentSettings,
  agentFailureOf,
  CONTINUE_PROMPT,
  callAgent,
  resume,
  runAgent,
} from './index.ts'
import { CLAUDE_ANSWER, Stubs } from './test-stub.ts'

let stubs: Stubs
beforeEach(() => {
  stubs = new Stubs()
})

/** An agent whose executable has this body. */
function agent(cli: AgentSettings['cli'], body: string, more: Partial<AgentSettings> = {}): AgentSettings {
  return { id: cli, cli, binary: stubs.make(cli, body), ...more }
}

const line = (event: object) => `out(${JSON.stringify(event)})`
const answer = (more: object = {}) => line({ ...CLAUDE_ANSWER, ...more })
const fail = (more: object) => `${line({ ...CLAUDE_ANSWER, is_error: true, ...more })}; end(1)`
const work = line({
  type: 'assistant',
  session_id: 's-1',
  message: {
    id: 'm1',
    content: [{ type: 'tool_use', name: 'Edit' }],
    usage: { input_tokens: 5, output_tokens: 5 },
  },
})
const overloaded = fail({
  api_error_status: 529,
  result: 'API Error: Repeated 529 Overloaded errors.',
  num_turns: 40,
  total_cost_usd: 1.5,
})
const lost = `warn('No conversation found with session ID: s-1'); ${fail({ subtype: 'error_during_execution', num_turns: 0, total_cost_usd: 0 })}`
const codexAnswer = [
  line({ type: 'thread.started', thread_id: 't-1' }),
  line({ type: 'item.completed', item: { type: 'agent_message', text: 'codex did it' } }),
  line({ type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 2 } }),
].join(';')

/** Calls with health of its own and no waiting. */
function calling(agents: AgentSettings[], more: Partial<AgentCallOptions> = {}) {
  return callAgent('fix it', {
    agents,
    gate: new Health({ time: realTime }),
    random: () => 0,
    backoff: 'fullJitter',
    ...more,
  })
}

async function failing(called: Promise<unknown>): Promise<CallFailed> {
  const error = await called.then(
    () => undefined,
    reason => reason,
  )
  if (!isCallFailed(error)) throw new Error('it did not fail as a call does', { cause: error })
  return error
}

describe('a call that agents serve', () => {
  it('goes on with the next agent when one has a limit', async () => {
    const events: CallEvent[] = []
    const limited = fail({
      api_error_status: 429,
      result: "You've hit your weekly limit · resets 3pm (UTC)",
      num_turns: 1,
      total_cost_usd: 0,
    })
    const result = await calling([agent('claude', limited), agent('codex', codexAnswer)], {
      onEvent: event => events.push(event),
    })
    expect(result).toMatchObject({
      provider: 'codex',
      value: { ok: true, text: 'codex did it', sessionId: 't-1' },
    })
    expect(result.attempts).toMatchObject([
      { provider: 'claude', failure: { kind: 'usage_limit' }, verdict: { action: 'failover' } },
      { provider: 'codex', tokens: 12 },
    ])
    expect(events.map(({ type }) => type)).toContain('failed.over')
  })

  it('continues the session of a run that had begun to work, in the same folder', async () => {
    const claude = agent(
      'claude',
      `if (start === 1) { ${work}; ${overloaded} } else { ${answer({ total_cost_usd: 1.7 })} }`,
    )
    const result = await calling([claude, agent('codex', codexAnswer)])
    expect(result).toMatchObject({ provider: 'claude', costUsd: 1.7 })
    expect(result.attempts).toMatchObject([
      { costUsd: 1.5, verdict: { action: 'retry', mode: 'resume' } },
      // Claude Code counts from the beginning of the session.
      { costUsd: expect.closeTo(0.2) },
    ])
    const [first, second] = stubs.starts('claude')
    expect(first).toMatchObject({ input: 'fix it' })
    expect(second).toMatchObject({ input: CONTINUE_PROMPT, cwd: first?.cwd })
    expect(second?.args.join(' ')).toContain('--resume s-1')
    expect(stubs.starts('codex')).toHaveLength(0)
  })

  it('continues after a throttle once its time has come', async () => {
    const time = new FakeTime()
    const throttled = fail({
      api_error_status: 429,
      result: 'API Error: Request rejected (429) · rate limited. Please try again in 30 seconds.',
      num_turns: 7,
    })
    const claude = agent('claude', `if (start === 1) { ${work}; ${throttled} } else { ${answer()} }`)
    const called = callAgent('fix it', { agents: [claude], time, random: () => 0 })
    // The stub runs in real time; the wait between its two starts is the only one that the clock has to make.
    const settled = called.then(() => true)
    let isSettled = false
    settled.then(() => {
      isSettled = true
    })
    while (!isSettled) {
      await new Promise(resolve => setTimeout(resolve, 5))
      if (time.pending === 1 && time.nextIn === 30_000) await time.advance(30_000)
    }
    const { attempts } = await called
    expect(attempts[0]).toMatchObject({
      failure: { class: 'throttle' },
      verdict: { action: 'retry', mode: 'resume', delayMs: 30_000 },
    })
    expect(stubs.starts('claude')[1]?.args).toContain('--resume')
  })

  it('does not start over what may have been done, when the session is gone', async () => {
    const claude = agent('claude', `if (start === 1) { ${work}; ${overloaded} } else { ${lost} }`)
    const error = await failing(calling([claude, agent('codex', codexAnswer)]))
    expect(error).toMatchObject({
      failure: {
        class: 'transient',
        kind: 'conflict',
        effect: 'maybe',
        evidence: { rule: 'agent:session_lost' },
      },
      verdict: { action: 'cancel', as: 'unverifiable' },
    })
    expect(error.failure.message).toContain('no longer has the session s-1')
    expect(error.failure.sessionId).toBeUndefined()
    expect(stubs.starts('claude')).toHaveLength(2)
    expect(stubs.starts('codex')).toHaveLength(0)
  })

  it('starts over when the session is gone and running it twice does no harm', async () => {
    const claude = agent(
      'claude',
      `if (start === 1) { ${work}; ${overloaded} } else if (start === 2) { ${lost} } else { ${answer()} }`,
    )
    expect(await calling([claude], { repeatable: true })).toMatchObject({ provider: 'claude' })
    const starts = stubs.starts('claude')
    expect(starts.map(({ input }) => input)).toEqual(['fix it', CONTINUE_PROMPT, 'fix it'])
  })

  it('does not continue a session more often than it may', async () => {
    const claude = agent('claude', `${work}; ${overloaded}`)
    const error = await failing(calling([claude], { maxRetries: 5, maxResumes: 1 }))
    expect(error.failure).toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('continued 1 times already'),
    })
    expect(stubs.starts('claude')).toHaveLength(2)
  })

  it('keeps session and cost when its budget ends, and outlives it by no more than the grace', async () => {
    const time = new FakeTime()
    const claude = agent('claude', `${line({ type: 'system', subtype: 'init', session_id: 's-1' })}; hang()`)
    const error = await failing(
      callAgent('fix it', {
        agents: [claude],
        time,
        budgetMs: 60_000,
        onSession: () => void time.advance(60_000),
      }),
    )
    expect(error.failure).toMatchObject({ class: 'timeout', sessionId: 's-1', provider: 'claude' })
    expect(agentFailureOf(error)).toMatchObject({ ok: false, session: { id: 's-1' } })
    expect(time.monotonic()).toBeLessThanOrEqual(66_000)
    expect(time.pending).toBe(0)
  })

  it('stops at its ceiling of cost, which holds over all tries', async () => {
    const step = (cost: number) =>
      `out({type:'step_start',sessionID:'ses_1',part:{}}); out({type:'step_finish',sessionID:'ses_1',part:{reason:'tool-calls',cost:${cost},tokens:{}}})`
    const opencode = agent('opencode', `${step(0.4)}; ${step(0.4)}; ${step(0.4)}; hang()`)
    const error = await failing(calling([opencode], { maxCostUsd: 1 }))
    expect(error).toMatchObject({
      failure: { class: 'rail', kind: 'max_budget', sessionId: 'ses_1' },
      verdict: { as: 'stopped' },
    })
    const claude = agent(
      'claude',
      `if (start === 1) { ${work}; ${overloaded} } else { ${answer({ total_cost_usd: 1.9 })} }`,
    )
    await calling([claude], { maxCostUsd: 2 })
    // What the session has cost already comes on top: half a dollar is left.
    expect(stubs.starts('claude').map(({ args }) => args[args.indexOf('--max-budget-usd') + 1])).toEqual([
      '2',
      '2',
    ])
  })

  it('keeps an answer that came a little dearer than it might', async () => {
    const result = await calling([agent('claude', answer({ total_cost_usd: 2.5 }))], { maxCostUsd: 2 })
    expect(result).toMatchObject({ costUsd: 2.5, value: { text: 'All tests pass.' } })
  })

  it('passes over an agent that cannot keep a limit that was asked for', async () => {
    const result = await calling([agent('codex', codexAnswer), agent('claude', answer())], { maxCostUsd: 2 })
    expect(result).toMatchObject({ provider: 'claude', attempts: [{ failure: { kind: 'config' } }, {}] })
    expect(stubs.starts('codex')).toHaveLength(0)
  })

  it('ends with an abort', async () => {
    const controller = new AbortController()
    const claude = agent('claude', `${line({ type: 'system', subtype: 'init', session_id: 's-1' })}; hang()`)
    const called = calling([claude], {
      signal: controller.signal,
      killGraceMs: 50,
      onSession: () => controller.abort(),
    })
    expect((await failing(called)).failure).toMatchObject({ class: 'aborted', sessionId: 's-1' })
  })
})

describe('a run that was stopped on purpose', () => {
  const stopped = fail({
    subtype: 'error_max_turns',
    errors: ['Reached maximum number of turns (3)'],
    num_turns: 3,
    total_cost_usd: 0.5,
  })

  it('goes on when somebody says so, with more turns and more money', async () => {
    const claude = agent(
      'claude',
      `if (start === 1) { ${stopped} } else { ${answer({ total_cost_usd: 0.8 })} }`,
    )
    const first = await runAgent(claude, { prompt: 'fix it', options: { maxTurns: 3 } })
    expect(first).toMatchObject({ ok: false, failure: { class: 'rail', kind: 'max_turns' } })
    const second = await resume(first, claude, { moreTurns: 10, moreBudgetUsd: 1 })
    expect(second).toMatchObject({
      ok: true,
      costUsd: expect.closeTo(0.3),
      session: { depth: 1, totalUsd: expect.closeTo(0.8) },
    })
    const { args = [], input } = stubs.starts('claude')[1] ?? {}
    expect(input).toBe(CONTINUE_PROMPT)
    expect(args.join(' ')).toContain('--resume s-1 --max-turns 10 --max-budget-usd 1.5')
  })

  it('goes on only so often, only where there is a session, and only with its provider', async () => {
    const claude = agent('claude', stopped)
    let outcome = await runAgent(claude, { prompt: 'fix it' })
    for (let i = 0; i < 2; i++) outcome = await resume(outcome, claude, { maxResumes: 2 })
    expect(await resume(outcome, claude, { maxResumes: 2 })).toMatchObject({
      ok: false,
      failure: { class: 'rail', kind: 'max_steps' },
    })
    expect(stubs.starts('claude')).toHaveLength(3)
    const without = await runAgent(claude, { prompt: 'x', options: { noSessionPersistence: true } })
    expect(await resume(without, claude)).toMatchObject({ ok: false, failure: { kind: 'not_found' } })
    await expect(resume(outcome, { ...claude, id: 'other' })).rejects.toThrow('not of other')
  })

  it('fails plainly when its session is gone', async () => {
    const claude = agent('claude', `if (start === 1) { ${stopped} } else { ${lost} }`)
    const first = await runAgent(claude, { prompt: 'fix it' })
    expect(await resume(first, claude)).toMatchObject({
      ok: false,
      failure: {
        class: 'permanent',
        kind: 'not_found',
        effect: 'none',
        message: 'claude no longer has the session s-1',
      },
    })
  })
})

describe('a worktree of its own', () => {
  let repository: string
  let env: Record<string, string | undefined>
  const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8' })

  beforeEach(() => {
    const folder = mkdtempSync(join(tmpdir(), 'mulligan-repository-'))
    repository = join(folder, 'project')
    env = { ...process.env, XDG_STATE_HOME: join(folder, 'state'), GIT_CONFIG_GLOBAL: '/dev/null' }
    execFileSync('git', ['init', '-q', repository])
    writeFileSync(join(repository, 'a.txt'), 'a')
    git('add', '.')
    git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '-m', 'first')
  })

  const worktrees = () => git('worktree', 'list', '--porcelain').match(/^worktree /gm)?.length
  const folders = () => {
    const root = join(env.XDG_STATE_HOME as string, 'mulligan', 'worktrees')
    return existsSync(root) ? readdirSync(root).flatMap(name => readdirSync(join(root, name))) : []
  }
  const inWorktree = (agents: AgentSettings[], more: Partial<AgentCallOptions> = {}) =>
    calling(agents, { options: { worktree: true }, cwd: repository, env, ...more })

  it('is thrown away when nothing was changed in it', async () => {
    await inWorktree([agent('claude', answer())])
    expect(stubs.starts('claude')[0]?.cwd).not.toBe(repository)
    expect(worktrees()).toBe(1)
    expect(folders()).toEqual([])
    expect(git('branch', '--list', 'mulligan/*')).toBe('')
  })

  it('stays with the work that was done in it, and leaves the repository alone', async () => {
    const { value } = await inWorktree([agent('claude', `fs.writeFileSync('b.txt', 'b'); ${answer()}`)])
    expect(existsSync(join(value.worktree?.path as string, 'b.txt'))).toBe(true)
    expect(existsSync(join(repository, 'b.txt'))).toBe(false)
    expect(git('branch', '--list', 'mulligan/*')).toContain(value.worktree?.branch)
  })

  it('lets another agent start over, in a new one; that of the failed try is gone', async () => {
    const claude = agent(
      'claude',
      `fs.writeFileSync('half.txt', ''); ${work}; ${fail({ api_error_status: 400, result: 'Credit balance is too low' })}`,
    )
    const codex = agent(
      'codex',
      `fs.writeFileSync('b.txt', String(fs.existsSync('half.txt'))); ${codexAnswer}`,
    )
    const { value, provider } = await inWorktree([claude, codex])
    expect(provider).toBe('codex')
    expect(folders()).toEqual([value.worktree?.branch.replace('mulligan/', '')])
    expect(execFileSync('cat', [join(value.worktree?.path as string, 'b.txt')], { encoding: 'utf8' })).toBe(
      'false',
    )
  })

  it('is kept while its session may be resumed, and the session is resumed in it', async () => {
    const claude = agent(
      'claude',
      `fs.appendFileSync('n.txt', 'x'); if (start === 1) { ${work}; ${overloaded} } else { ${answer()} }`,
    )
    const { value } = await inWorktree([claude])
    expect(stubs.starts('claude').map(({ cwd }) => cwd)).toEqual([value.worktree?.path, value.worktree?.path])
    expect(folders()).toHaveLength(1)
    const stopped = agent(
      'claude',
      fail({ subtype: 'error_max_turns', errors: ['Reached maximum number of turns (3)'] }),
    )
    const error = await failing(inWorktree([stopped]))
    expect(existsSync(agentFailureOf(error)?.session?.worktree?.path as string)).toBe(true)
  })

  it('is used again under its name, and never thrown away', async () => {
    const options = { worktree: 'issue-7' }
    const claude = agent('claude', answer())
    await calling([claude], { options, cwd: repository, env })
    await calling([claude], { options, cwd: repository, env })
    const [first, second] = stubs.starts('claude')
    expect(first?.cwd).toMatch(/issue-7$/)
    expect(second?.cwd).toBe(first?.cwd)
    expect(folders()).toEqual(['issue-7'])
  })

  it('is thrown away, changed or not, where it was to be', async () => {
    await inWorktree([agent('claude', `fs.writeFileSync('b.txt', ''); ${answer()}`)], {
      keepWorktree: 'never',
    })
    expect(folders()).toEqual([])
  })
})
