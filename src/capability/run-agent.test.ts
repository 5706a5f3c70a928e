import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { CLAUDE_ANSWER, Stubs } from '../../test/agent/stub.ts'
import { testContext } from '../../test/capability/context.ts'
import { agentsFrom } from '../agent/agents-from.ts'
import { readConfig } from '../config/read.ts'
import { isKnownFailure } from '../failure/own-error.ts'
import type { RunFacts, WorkContext } from './context.ts'
import { capabilitiesOf } from './from-config.ts'
import { PROMPT_CAPABILITY, promptCapabilities, REPEATABLE_PROMPT_CAPABILITY } from './prompt-capability.ts'
import { agentRunner } from './run-agent.ts'

let stubs: Stubs
beforeEach(() => {
  stubs = new Stubs()
})

const agents = agentsFrom({})
const answer = (more: object = {}) => `out(${JSON.stringify({ ...CLAUDE_ANSWER, ...more })})`

/** A context that records its calls. */
function context(more: Partial<WorkContext> = {}) {
  const facts: RunFacts[] = []
  const charges: object[] = []
  return {
    facts,
    charges,
    context: testContext({
      env: { PATH: `${stubs.folder}:${process.env.PATH}`, HOME: stubs.folder },
      provider: 'claude',
      record: fact => facts.push(fact),
      charge: spent => charges.push(spent),
      ...more,
    }),
  }
}

const request = (more: object = {}) => ({
  provider: 'claude',
  prompt: 'fix it',
  cwd: stubs.folder,
  resume: undefined,
  worktree: false,
  options: {},
  ...more,
})
const runner = () => agentRunner({ agents, cwd: stubs.folder })

describe('an agent run by a capability', () => {
  it('returns its answer, and reports session, folder and cost as they become known', async () => {
    stubs.make('claude', `out({type:'system',subtype:'init',session_id:'s-1'}); ${answer()}`)
    const told = context()
    const result = await runner()(request({ options: { max_turns: 4 } }), told.context)
    expect(result).toEqual({
      text: 'All tests pass.',
      provider: 'claude',
      session_id: 's-1',
      cost_usd: 0.12,
      turns: 3,
      denied_tools: [],
    })
    expect(told.facts[0]).toEqual({ sessionId: 's-1', cwd: stubs.folder })
    expect(told.facts.at(-1)).toMatchObject({ sessionId: 's-1', costUsd: 0.12 })
    expect(told.charges).toEqual([{ usd: 0.12, tokens: 170 }])
    expect(stubs.starts('claude')[0]).toMatchObject({ input: 'fix it', cwd: stubs.folder })
    expect(stubs.starts('claude')[0]?.args.join(' ')).toContain('--max-turns 4')
  })

  it('fails with the failure that its driver classified', async () => {
    stubs.make(
      'claude',
      `${answer({ is_error: true, api_error_status: 429, result: "You've hit your weekly limit" })}; end(1)`,
    )
    const error = await runner()(request(), context().context).catch((thrown: unknown) => thrown)
    expect(isKnownFailure(error) && error.failure).toMatchObject({ kind: 'usage_limit', provider: 'claude' })
  })

  it('resumes a session, and charges only the increase', async () => {
    stubs.make('claude', answer({ total_cost_usd: 0.5 }))
    const past = {
      number: 1,
      run: 1,
      startedAt: 0,
      endedAt: 1,
      provider: 'claude',
      sessionId: 's-1',
      costUsd: 0.2,
    }
    const told = context({ attempts: [past] })
    await runner()(request({ resume: { sessionId: 's-1', cwd: stubs.folder } }), told.context)
    const [start] = stubs.starts('claude')
    expect(start?.args.join(' ')).toContain('--resume s-1')
    expect(start?.input).not.toBe('fix it')
    expect(told.charges).toMatchObject([{ usd: expect.closeTo(0.3) }])
  })

  it('removes a worktree without work, and names one with work', async () => {
    const repository = mkdtempSync(join(tmpdir(), 'mulligan-repository-'))
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: repository })
    git('init', '-q')
    git('commit', '-q', '--allow-empty', '-m', 'begin')
    stubs.make('claude', answer())
    const idle = await runner()(request({ worktree: true, cwd: repository }), context().context)
    expect(idle).not.toHaveProperty('worktree')
    expect(existsSync(stubs.starts('claude')[0]?.cwd ?? '')).toBe(false)
    stubs.make('claude', `fs.writeFileSync('done', ''); ${answer()}`)
    const busy = await runner()(request({ worktree: true, cwd: repository }), context().context)
    expect(busy).toMatchObject({ worktree: { path: expect.any(String), branch: expect.any(String) } })
  })

  it('is the first installed one if no provider is named', async () => {
    stubs.make(
      'codex',
      `out({type:'thread.started',thread_id:'t-1'}); out({type:'item.completed',item:{type:'agent_message',text:'codex did it'}}); out({type:'turn.completed',usage:{}})`,
    )
    const told = context({ provider: undefined, env: { PATH: stubs.folder } })
    expect(await runner()(request({ provider: undefined }), told.context)).toMatchObject({
      text: 'codex did it',
    })
    const nobody = context({ provider: undefined, env: { PATH: '/nowhere' } })
    await expect(runner()(request({ provider: undefined }), nobody.context)).rejects.toThrow(
      'no agent CLI is installed',
    )
  })
})

describe('capabilities of a config', () => {
  it('are its tables and what its modules export', async () => {
    const loaded = readConfig(
      `[[provider]]
id = "claude"
cli = "claude"
policy = "oban"
[[capability]]
name = "ask"
agent = { prompt = "about {topic}" }
params = { topic = {} }
provider = "claude"
policy = "default"
[[capability]]
name = "copy"
argv = ["cp", "env:FROM", "to"]
retry = "replay"
timeout = "10s"`,
      '/srv/mulligan.toml',
    )
    const registry = await capabilitiesOf(loaded, { runAgent: runner(), cwd: '/' })
    expect(registry.names).toEqual(['ask', 'copy'])
    expect(registry.get('ask')).toMatchObject({
      kind: 'agent',
      provider: 'claude',
      policy: { name: 'default' },
    })
    expect(registry.get('copy')).toMatchObject({ retry: 'replay', timeoutMs: 10_000, variables: ['FROM'] })
  })

  it('include prompts of the command line, repeatable and not', async () => {
    const asked: unknown[] = []
    const [once, often] = promptCapabilities(async given => asked.push(given))
    expect([once?.name, once?.retry, once?.resumable]).toEqual([PROMPT_CAPABILITY, 'none', true])
    expect([often?.name, often?.retry]).toEqual([REPEATABLE_PROMPT_CAPABILITY, 'replay'])
    const params = { prompt: 'fix it', cwd: '/srv', options: { worktree: true, model: 'opus' } }
    await once?.run(params, testContext({ provider: 'claude' }))
    expect(asked).toEqual([
      {
        provider: 'claude',
        prompt: 'fix it',
        cwd: '/srv',
        resume: undefined,
        worktree: true,
        options: params.options,
      },
    ])
  })
})
