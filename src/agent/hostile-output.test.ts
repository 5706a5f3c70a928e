import { beforeEach, describe, expect, it } from 'vitest'
import { CLAUDE_ANSWER, Stubs } from '../../test/agent/stub.ts'
import { AGENT_CLIS } from '../config/agent-clis.ts'
import { commandLine } from './arguments.ts'
import { CLIS } from './clis.ts'
import { planLaunch } from './launch.ts'
import { runAgent } from './run-agent.ts'
import type { AgentSettings } from './settings.ts'

const OPTION = '--dangerously-skip-permissions'

let stubs: Stubs
beforeEach(() => {
  stubs = new Stubs()
})

const outside = () => ({ env: { PATH: process.env.PATH }, cwd: stubs.folder })

describe('what an agent prints as its session', () => {
  it('is not a session if it looks like an option', async () => {
    const binary = stubs.make(
      'claude',
      `out({ type: 'system', subtype: 'init', session_id: '${OPTION}' })\nout(${JSON.stringify({ ...CLAUDE_ANSWER, session_id: OPTION })})`,
    )
    const sessions: unknown[] = []
    const outcome = await runAgent(
      { id: 'claude', cli: 'claude', binary },
      { prompt: 'go' },
      { ...outside(), onSession: session => sessions.push(session) },
    )
    expect(outcome).toMatchObject({ ok: true, sessionId: null })
    expect(outcome).not.toHaveProperty('session')
    expect(sessions).toEqual([])
  })

  it('is not passed to a program even if it was stored: nothing is started', async () => {
    const binary = stubs.make('claude', 'end(0)')
    const session = {
      provider: 'claude',
      id: OPTION,
      cwd: stubs.folder,
      totalUsd: null,
      totalUsage: null,
      depth: 0,
    }
    const outcome = await runAgent(
      { id: 'claude', cli: 'claude', binary },
      { prompt: 'go', session },
      outside(),
    )
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'not_found', effect: 'none' } })
    expect(stubs.starts('claude')).toEqual([])
  })
})

describe('a command line', () => {
  const settingsOf = (cli: AgentSettings['cli']): AgentSettings => ({ id: cli, cli, binary: 'x' })

  it.each(AGENT_CLIS)('of %s has no option injected by a session, a name or a prompt', cli => {
    for (const options of [
      { resume: OPTION },
      { sessionId: OPTION },
      { model: OPTION },
      { agent: OPTION },
      { addDir: ['.', OPTION] },
    ]) {
      const prepared = planLaunch(settingsOf(cli), { prompt: 'go', options }, outside())
      const words = 'failure' in prepared ? [] : prepared.argv
      expect(words, JSON.stringify(options)).not.toContain(OPTION)
    }
    const { argv } = commandLine(CLIS[cli], settingsOf(cli), {}, { prompt: OPTION, resume: undefined })
    expect(argv).not.toContain(OPTION)
  })
})
