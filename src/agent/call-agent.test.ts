import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answer, codexAnswer, fail, line, overloaded, refuse, work } from '../../test/agent/bodies.ts'
import { agent, calling, failing, freshStubs, stubs } from '../../test/agent/calls.ts'
import type { CallEvent } from '../call/event.ts'
import { buildSignatureMap } from '../failure/signature-map.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { agentFailureOf, callAgent } from './call-agent.ts'
import { CONTINUE_PROMPT, resume, sessionFrom } from './resume.ts'
import { runAgent } from './run-agent.ts'

freshStubs()
const lost = `warn('No conversation found with session ID: s-1'); ${fail({ subtype: 'error_during_execution', num_turns: 0, total_cost_usd: 0 })}`

describe('a call served by agents', () => {
  it('fails over to the next agent when one has hit a limit', async () => {
    const events: CallEvent[] = []
    const limited = refuse({
      api_error_status: 429,
      result: "You've hit your weekly limit · resets 3pm (UTC)",
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

  it('fails over when an agent was ended in its own retry loop before any work', async () => {
    const waiting = [1, 2, 3]
      .map(n => line({ type: 'error', message: `Reconnecting... ${n}/5 (error sending request)` }))
      .join(';')
    const codex = agent('codex', `${line({ type: 'thread.started', thread_id: 't-1' })}; ${waiting}; hang()`)
    const result = await calling([codex, agent('claude', answer())])
    expect(result).toMatchObject({ provider: 'claude', attempts: [{}, {}, {}, { provider: 'claude' }] })
    expect(result.attempts[0]).toMatchObject({ failure: { kind: 'network', effect: 'none' } })
    // Nothing was begun, so there is no session to continue.
    expect(stubs.starts('codex').map(({ args }) => args.includes('resume'))).toEqual([false, false, false])
  })

  it('continues the session of an answer that was cut, then asks the next agent, because only words were said', async () => {
    const says = line({
      type: 'assistant',
      session_id: 's-1',
      message: {
        id: 'm1',
        content: [{ type: 'text', text: 'Half of' }],
        usage: { input_tokens: 5, output_tokens: 5 },
      },
    })
    const cut = refuse({
      api_error_status: 500,
      result: 'API Error: Connection to the API was lost (ECONNRESET).',
    })
    const result = await calling([agent('claude', `${says}; ${cut}`), agent('codex', codexAnswer)])
    expect(result).toMatchObject({ provider: 'codex', value: { text: 'codex did it' } })
    expect(result.attempts).toMatchObject([
      {
        provider: 'claude',
        failure: { effect: 'none', did: 'said' },
        verdict: { action: 'retry', mode: 'resume' },
      },
      {
        provider: 'claude',
        failure: { effect: 'none', did: 'said' },
        verdict: { action: 'retry', mode: 'resume' },
      },
      { provider: 'claude', failure: { effect: 'none', did: 'said' }, verdict: { action: 'failover' } },
      { provider: 'codex' },
    ])
  })

  it('never asks another agent after one that acted', async () => {
    const cut = refuse({
      api_error_status: 500,
      result: 'API Error: Connection to the API was lost (ECONNRESET).',
    })
    const error = await failing(calling([agent('claude', `${work}; ${cut}`), agent('codex', codexAnswer)]))
    expect(error.attempts.map(({ provider }) => provider)).toEqual(['claude', 'claude', 'claude'])
    expect(error.failure).toMatchObject({ effect: 'maybe', did: 'acted' })
  })

  it('asks the next agent when a signature of the first recognises its limit', async () => {
    const signatures = buildSignatureMap([{ id: 'codex', error_signatures: { throttle: ['on holiday'] } }])
    const codex = agent(
      'codex',
      `${line({ type: 'turn.failed', error: { message: 'the model is on holiday' } })}; end(1)`,
    )
    const result = await calling([codex, agent('claude', answer())], {
      classify: { signatures },
      maxRetries: 0,
    })
    expect(result).toMatchObject({ provider: 'claude', attempts: [{ failure: { class: 'throttle' } }, {}] })
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
      // Claude Code counts from the start of the session.
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
    // The stub runs in real time; the only wait on the fake clock is between its two starts.
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

  it('does not start over work that may be done, when the session is gone', async () => {
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
    expect(await calling([claude], { retry: 'replay' })).toMatchObject({ provider: 'claude' })
    const starts = stubs.starts('claude')
    expect(starts.map(({ input }) => input)).toEqual(['fix it', CONTINUE_PROMPT, 'fix it'])
  })

  it('starts over when the session is gone and nothing was done in it', async () => {
    const time = new FakeTime()
    const gemini = agent(
      'gemini',
      `const init = { type: 'init', session_id: 's-1', model: 'm' }
       if (start === 1) { warn('Attempt 1 failed with status 503. Retrying with backoff...'); out(init); hang() }
       else if (start === 2) { warn('Error resuming session: No previous sessions found for this project.'); end(42) }
       else { out(init); out({ type: 'message', role: 'assistant', content: 'hi' }); out({ type: 'result', status: 'success', stats: {} }) }`,
    )
    const called = calling([gemini], {
      time,
      options: { timeoutMs: 20_000 },
      onEvent: ({ type }) => void (type === 'waiting' && time.advance(0)),
      onSession: () => void (stubs.starts('gemini').length === 1 && time.advance(20_000)),
    })
    expect(await called).toMatchObject({ value: { text: 'hi' } })
    expect(stubs.starts('gemini').map(({ input }) => input)).toEqual(['fix it', CONTINUE_PROMPT, 'fix it'])
  })

  it('does not resume a session more often than allowed', async () => {
    const claude = agent('claude', `${work}; ${overloaded}`)
    const error = await failing(calling([claude], { maxRetries: 5, maxResumes: 1 }))
    expect(error.failure).toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('already been continued 1 times'),
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

  it('stops at its cost limit, which covers all tries', async () => {
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
    // The run's limit counts from its own start: half a dollar is left.
    expect(stubs.starts('claude').map(({ args }) => args[args.indexOf('--max-budget-usd') + 1])).toEqual([
      '2',
      '0.5',
    ])
  })

  it('keeps an answer that cost slightly more than allowed', async () => {
    const result = await calling([agent('claude', answer({ total_cost_usd: 2.5 }))], { maxCostUsd: 2 })
    expect(result).toMatchObject({ costUsd: 2.5, value: { text: 'All tests pass.' } })
  })

  it('passes over an agent that cannot enforce a requested limit', async () => {
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

  it('costs only what is new if it is continued by its id alone, or as a job continues it', async () => {
    const claude = agent(
      'claude',
      `if (start === 1) { ${stopped} } else { ${answer({ total_cost_usd: 0.8 })} }`,
    )
    await runAgent(claude, { prompt: 'fix it', options: { maxTurns: 3 } })
    const second = await runAgent(claude, { prompt: 'go on', options: { resume: 's-1' } })
    expect(second).toMatchObject({ costUsd: expect.closeTo(0.3), session: { totalUsd: expect.closeTo(0.8) } })
    const session = sessionFrom(claude, { sessionId: 's-1', costUsd: 0.5 })
    expect(await runAgent(claude, { prompt: 'go on', session })).toMatchObject({
      costUsd: expect.closeTo(0.3),
    })
  })

  it.each([
    ['what the CLI recorded of another process', '{"type":"cost-state","totalCostUSD":0.5}', 0.3],
    ['nothing if the CLI records nothing, because it then starts anew', '{"type":"user"}', 0.8],
  ])('is continued by its id alone without %s', async (_what, record, costUsd) => {
    const home = mkdtempSync(join(tmpdir(), 'mulligan-claude-'))
    const project = join(home, '.claude', 'projects', '-srv-app')
    mkdirSync(project, { recursive: true })
    writeFileSync(join(project, 's-elsewhere.jsonl'), `{"type":"user"}\n${record}\n`)
    const claude = agent('claude', answer({ total_cost_usd: 0.8, session_id: 's-elsewhere' }))
    const env = { ...process.env, HOME: home }
    const run = await runAgent(claude, { prompt: 'go on', options: { resume: 's-elsewhere' } }, { env })
    expect(run).toMatchObject({
      costUsd: expect.closeTo(costUsd),
      session: { totalUsd: expect.closeTo(0.8) },
    })
    rmSync(home, { recursive: true })
  })

  it('continues on request, with more turns and more money', async () => {
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
    expect(args.join(' ')).toContain('--resume s-1 --max-turns 10 --max-budget-usd 1')
  })

  it('continues only so often, only if there is a session, and only with its provider', async () => {
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
    await expect(resume(outcome, { ...claude, id: 'other' })).rejects.toThrow('not other')
  })

  it('fails plainly when its folder is gone', async () => {
    const folder = mkdtempSync(join(stubs.folder, 'work-'))
    const claude = agent('claude', stopped)
    const first = await runAgent(claude, { prompt: 'fix it' }, { cwd: folder })
    rmSync(folder, { recursive: true })
    const second = await resume(first, claude)
    expect(second).toMatchObject({
      ok: false,
      failure: { kind: 'not_found', evidence: { rule: 'agent:session_lost' } },
    })
    expect(second.session).toBeUndefined()
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
