import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { line } from '../../test/agent/bodies.ts'
import { lastStart, running, stubs } from '../../test/agent/runs.ts'
import { CLAUDE_ANSWER, eventually, isAlive } from '../../test/agent/stub.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { AgentSettings } from './settings.ts'

describe('a run of claude', () => {
  it('returns answer, session, cost, turns and usage', async () => {
    const outcome = await running(line({ ...CLAUDE_ANSWER, structured_output: { fixed: 2 } }))
    expect(outcome).toMatchObject({
      ok: true,
      text: 'All tests pass.',
      structured: { fixed: 2 },
      sessionId: 's-1',
      costUsd: 0.12,
      turns: 3,
      usage: { inputTokens: 150, cachedTokens: 50, outputTokens: 20 },
      provider: 'my-claude',
      session: { provider: 'my-claude', id: 's-1', depth: 0, totalUsd: 0.12 },
    })
    expect(outcome.durationMs).toBeGreaterThan(0)
  })

  it('gets its prompt on stdin, which keeps it out of the process list', async () => {
    await running(line(CLAUDE_ANSWER), { request: { prompt: 'a private task' } })
    expect(lastStart()).toMatchObject({ input: 'a private task' })
    expect(lastStart()?.args).toEqual(['-p', '--output-format', 'stream-json', '--verbose'])
  })

  it('leaves retries to us', async () => {
    await running(line(CLAUDE_ANSWER), {
      run: { env: { ...process.env, CLAUDE_CODE_RETRY_WATCHDOG: '1', CLAUDE_CODE_MAX_RETRIES: '10' } },
    })
    expect(lastStart()?.env).toMatchObject({ CLAUDE_CODE_MAX_RETRIES: '2' })
    expect(lastStart()?.env).not.toHaveProperty('CLAUDE_CODE_RETRY_WATCHDOG')
  })

  it('names the tools that were not allowed', async () => {
    const denied = { ...CLAUDE_ANSWER, permission_denials: [{ tool_name: 'Bash', tool_input: {} }] }
    expect(await running(line(denied))).toMatchObject({ ok: true, deniedTools: ['Bash'] })
  })
})

describe('an answer', () => {
  it('counts no matter what it talks about', async () => {
    const answer = {
      ...CLAUDE_ANSWER,
      result: 'I made the client wait when it gets HTTP 429 rate limit exceeded.',
    }
    expect(await running(line(answer))).toMatchObject({ ok: true, text: expect.stringContaining('429') })
  })

  it('counts although it is longer than what is kept of the output', async () => {
    const outcome = await running(`out({...${JSON.stringify(CLAUDE_ANSWER)}, result: 'x'.repeat(2_000_000)})`)
    expect(outcome).toMatchObject({ ok: true, sessionId: 's-1' })
    expect((outcome as { text: string }).text).toHaveLength(2_000_000)
  })

  it('counts although the program hangs after it', async () => {
    const time = new FakeTime()
    const session = () => void time.advance(5_000)
    const outcome = running(`${line(CLAUDE_ANSWER)}; hang()`, {
      request: { options: { timeoutMs: 5_000 } },
      run: { time, onSession: session },
    })
    expect(await outcome).toMatchObject({ ok: true, text: 'All tests pass.' })
  })
})

describe('a run that does not end', () => {
  it('is ended at its deadline, and keeps what it had done', async () => {
    const time = new FakeTime()
    const init = line({ type: 'system', subtype: 'init', session_id: 's-9', model: 'opus' })
    const outcome = running(`${init}; hang()`, {
      request: { options: { timeoutMs: 60_000 } },
      run: { time, onSession: () => void time.advance(60_000) },
    })
    expect(await outcome).toMatchObject({
      ok: false,
      model: 'opus',
      failure: { class: 'timeout', kind: 'timeout', outcome: 'timeout', effect: 'maybe', sessionId: 's-9' },
      session: { id: 's-9' },
    })
  })

  it.each<[AgentSettings['cli'], object]>([
    ['gemini', { type: 'init', session_id: 's-9', model: 'm' }],
    ['opencode', { type: 'step_finish', sessionID: 's-9', part: { reason: 'other', tokens: {} } }],
  ])('is a timeout although %s reports success', async (cli, event) => {
    const time = new FakeTime()
    const outcome = running(`process.on('SIGTERM', () => end(0)); ${line(event)}; hang()`, {
      cli,
      request: { options: { timeoutMs: 60_000 } },
      run: { time, onSession: () => void time.advance(60_000) },
    })
    expect(await outcome).toMatchObject({
      ok: false,
      failure: { class: 'timeout', kind: 'timeout', sessionId: 's-9' },
    })
  })

  it('is ended when it prints nothing for too long', async () => {
    const time = new FakeTime()
    const outcome = running(`${line({ type: 'system', subtype: 'init', session_id: 's-9' })}; hang()`, {
      settings: { stallMs: 30_000 },
      run: { time, onSession: () => void time.advance(30_000) },
    })
    expect(await outcome).toMatchObject({
      ok: false,
      failure: { class: 'timeout', kind: 'stall', outcome: 'timeout' },
    })
  })

  it('is ended with grandchildren that ignore SIGTERM when the caller aborts it', async () => {
    const pids = join(stubs.folder, 'pids')
    const controller = new AbortController()
    const outcome = running(
      `process.on('SIGTERM', () => {})
       require('node:child_process').spawn('sh', ['-c', 'trap "" TERM; echo $$ >> ${pids}; while :; do sleep 1; done'], { stdio: 'ignore' })
       hang()`,
      { run: { signal: controller.signal, killGraceMs: 50 } },
    )
    const started = () => {
      try {
        return readFileSync(pids, 'utf8').trim()
      } catch {
        return ''
      }
    }
    await eventually(() => started() !== '')
    controller.abort()
    expect(await outcome).toMatchObject({
      ok: false,
      failure: { class: 'aborted', kind: 'aborted', effect: 'maybe' },
    })
    await eventually(() => !isAlive(Number(started())))
  })

  it('tells a deadline from another abort', async () => {
    const controller = new AbortController()
    const reason = Object.assign(new Error('too long'), { name: 'TimeoutError' })
    const outcome = running('hang()', { run: { signal: controller.signal, killGraceMs: 50 } })
    controller.abort(reason)
    expect(await outcome).toMatchObject({ ok: false, failure: { class: 'timeout' } })
  })
})

it('holds a gigabyte of output in bounded memory', async () => {
  const before = process.memoryUsage().rss
  const flood = `const b = Buffer.alloc(1e6, 120); for (let i = 0; i < 1000; i++) { let n = 0; while (n < b.length) { try { n += fs.writeSync(1, b, n) } catch (e) { if (e.code !== 'EAGAIN') throw e } } } say('\\n'); ${line(CLAUDE_ANSWER)}`
  expect(await running(flood)).toMatchObject({ ok: true, text: 'All tests pass.' })
  expect(process.memoryUsage().rss - before).toBeLessThan(400e6)
})

describe('our own rails', () => {
  const step = (cost: number) => [
    line({ type: 'step_start', sessionID: 'ses_1', part: {} }),
    line({
      type: 'step_finish',
      sessionID: 'ses_1',
      part: { reason: 'tool-calls', cost, tokens: { input: 10, output: 5 } },
    }),
  ]

  it('stop a run that costs too much, if the CLI has no such limit', async () => {
    const body = [...step(0.3), ...step(0.3), ...step(0.3), 'hang()'].join(';')
    expect(
      await running(body, { cli: 'opencode', request: { options: { maxBudgetUsd: 0.5 } } }),
    ).toMatchObject({
      ok: false,
      failure: { class: 'rail', kind: 'max_budget', outcome: 'budget_exceeded', sessionId: 'ses_1' },
      session: { id: 'ses_1' },
    })
  })

  it('stop a run that takes too many turns', async () => {
    const body = [...step(0), ...step(0), ...step(0), 'hang()'].join(';')
    expect(await running(body, { cli: 'opencode', request: { options: { maxTurns: 2 } } })).toMatchObject({
      ok: false,
      failure: { class: 'rail', kind: 'max_turns', outcome: 'max_turns_exceeded' },
    })
  })

  it('count a step of opencode that has an end but no beginning', async () => {
    const empty = line({ type: 'step_finish', sessionID: 'ses_1', part: { reason: 'unknown', tokens: {} } })
    const body = [empty, empty, empty, 'hang()'].join(';')
    expect(await running(body, { cli: 'opencode', request: { options: { maxTurns: 2 } } })).toMatchObject({
      ok: false,
      turns: 3,
      failure: { class: 'rail', kind: 'max_turns' },
    })
  })

  it('compute the cost from tokens if the CLI reports none and the provider has a price', async () => {
    const events = [
      { type: 'thread.started', thread_id: 't-1' },
      { type: 'item.completed', item: { type: 'agent_message', text: 'done' } },
      {
        type: 'turn.completed',
        usage: { input_tokens: 1_000_000, cached_input_tokens: 500_000, output_tokens: 100_000 },
      },
    ]
    const given = { cli: 'codex', settings: { price: { inputUsd: 2, cachedUsd: 1, outputUsd: 10 } } } as const
    expect(await running(events.map(line).join(';'), given)).toMatchObject({
      ok: true,
      text: 'done',
      costUsd: 2.5,
    })
    expect(await running('', { cli: 'codex', request: { options: { maxBudgetUsd: 1 } } })).toMatchObject({
      ok: false,
      failure: { kind: 'config', message: expect.stringContaining('set a price for the provider') },
    })
  })
})

it('passes texts in private files that are removed afterwards', async () => {
  const outcome = await running(
    `const file = args[args.indexOf('--append-system-prompt-file') + 1]
     out({...${JSON.stringify(CLAUDE_ANSWER)}, result: fs.readFileSync(file, 'utf8') + ' ' + (fs.statSync(file).mode & 0o777).toString(8) + ' ' + file})`,
    { request: { options: { appendSystemPrompt: 'Be brief.' } } },
  )
  const [, , mode, file] = (outcome as { text: string }).text.split(' ')
  expect(outcome).toMatchObject({ text: expect.stringMatching(/^Be brief\. 600 /) })
  expect(mode).toBe('600')
  expect(() => readFileSync(file as string)).toThrow('ENOENT')
})

it('passes the CLI its key under the name it reads, and only the variables it may see', async () => {
  const env = { PATH: process.env.PATH, KEY_OF_WORK: 'k-1', BASE: 'http://127.0.0.1:9', OTHER: 'x' }
  await running(line(CLAUDE_ANSWER), {
    settings: { credentialEnv: 'KEY_OF_WORK', envFrom: { ANTHROPIC_BASE_URL: 'BASE' }, passEnv: ['PATH'] },
    run: { env },
  })
  const seen = lastStart()?.env
  expect(seen).toMatchObject({ ANTHROPIC_API_KEY: 'k-1', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' })
  expect(seen).not.toHaveProperty('OTHER')
  expect(seen).not.toHaveProperty('KEY_OF_WORK')
})

it('returns the meta data of the request', async () => {
  const meta = { issue: 42 }
  expect(await running(line(CLAUDE_ANSWER), { request: { options: { meta } } })).toMatchObject({
    ok: true,
    meta,
  })
  expect(await running('', { request: { options: { meta: { max_turns: 1 } } } })).toMatchObject({ ok: false })
})

it('reports the session, with its folder, as soon as it is known', async () => {
  const told: unknown[] = []
  const init = line({ type: 'system', subtype: 'init', session_id: 's-1' })
  await running([init, line(CLAUDE_ANSWER)].join(';'), {
    run: { onSession: session => told.push(session), cwd: stubs.folder },
  })
  expect(told).toEqual([
    {
      provider: 'my-claude',
      id: 's-1',
      cwd: stubs.folder,
      totalUsd: null,
      totalUsage: null,
      depth: 0,
      hasWorked: false,
    },
  ])
})

it('works in the given folder', async () => {
  const folder = join(stubs.folder, 'work')
  mkdirSync(folder)
  await running(line(CLAUDE_ANSWER), {
    request: { options: { workingDir: 'work' } },
    run: { cwd: stubs.folder },
  })
  expect(lastStart()?.cwd).toBe(folder)
})

it('is not broken by a throwing listener', async () => {
  const broken = () => {
    throw new Error('a listener of the caller')
  }
  const retry = line({ type: 'system', subtype: 'api_retry', session_id: 's-1', error_status: 529 })
  const turn = line({ type: 'assistant', session_id: 's-1', message: { id: 'm', content: [], usage: {} } })
  const run = { onSession: broken, onSpent: broken, watch: { shouldEnd: broken } }
  expect(await running([retry, turn, line(CLAUDE_ANSWER)].join(';'), { run })).toMatchObject({ ok: true })
})
