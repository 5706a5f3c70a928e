import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { beforeEach, describe, expect, it } from 'vitest'
import { answer, refuse, work } from '../../../test/agent/bodies.ts'
import { eventually, Stubs } from '../../../test/agent/stub.ts'
import { BUILT_COMMAND } from '../../../test/cli/command.ts'
import { runCommand } from '../../../test/cli/terminal.ts'
import { Stopped } from '../terminal.ts'

let stubs: Stubs
beforeEach(() => {
  stubs = new Stubs()
})

const mulligan = (...argv: string[]) =>
  runCommand(argv, {
    cwd: stubs.folder,
    env: { PATH: `${stubs.folder}:${process.env.PATH}` },
    now: Date.now,
  })
const running = (...argv: string[]) => mulligan('run', '--queue', '--provider', 'claude', ...argv)

describe('mulligan run --queue', () => {
  it('prints the answer if there is one, and keeps the operation', async () => {
    stubs.make('claude', answer())
    expect(await running('--model', 'opus', '--', 'fix it')).toEqual({
      code: 0,
      stdout: 'All tests pass.\n',
      stderr: 'try 1: claude\n',
    })
    expect(stubs.starts('claude')[0]).toMatchObject({ input: 'fix it', cwd: stubs.folder })
    expect(stubs.starts('claude')[0]?.args.join(' ')).toContain('--model opus')
    const shown = await mulligan('ops', 'show', 'op_1', '--json')
    expect(JSON.parse(shown.stdout)).toMatchObject({
      state: 'succeeded',
      providers: ['claude'],
      params: { prompt: 'fix it', cwd: stubs.folder, options: { model: 'opus' } },
      agent_session: 's-1',
    })
  })

  it('queues a prompt that has to wait, with the id and exit code 75, and warns that no runner is alive', async () => {
    stubs.make('claude', refuse({ api_error_status: 429, result: "You've hit your weekly limit" }))
    const { code, stdout, stderr } = await running('--', 'fix it')
    expect({ code, stdout }).toEqual({ code: 75, stdout: 'op_1\n' })
    expect(stderr).toMatch(
      /^try 1: claude\nclaude failed after .*: throttle\/usage_limit: You've hit your weekly limit\n/,
    )
    expect(stderr).toContain(
      'No runner is alive, so nothing happens until one is: start one with "mulligan serve"',
    )
    expect(stderr).toContain(
      'Move on to other work, and do not start it again. To hear how it ends: mulligan ops wait op_1',
    )
  })

  it('reports its progress like any other run, with a live line on a terminal', async () => {
    stubs.make('claude', refuse({ api_error_status: 429, result: "You've hit your weekly limit" }))
    stubs.make(
      'codex',
      `out({type:'thread.started',thread_id:'t-1'}); out({type:'item.completed',item:{type:'agent_message',text:'done'}}); out({type:'turn.completed',usage:{}})`,
    )
    const argv = ['--budget', '10m', '--pool', 'claude,codex', '--', 'fix it']
    // Durations differ between runs.
    const told = (stderr: string) => stderr.replaceAll(/after [\d.]+ m?s/g, 'after a while')
    const plain = await mulligan('run', '--data', join(stubs.folder, 'other'), ...argv)
    const queued = await mulligan('run', '--queue', ...argv)
    expect(queued).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(told(queued.stderr)).toBe(told(plain.stderr))
    expect(queued.stderr).toContain('switching from claude to codex')

    stubs.make('claude', answer())
    const live = await runCommand(['run', '--queue', '--provider', 'codex', '--', 'fix it'], {
      cwd: stubs.folder,
      env: { PATH: `${stubs.folder}:${process.env.PATH}` },
      now: Date.now,
      stderrIsTerminal: true,
    })
    expect(live.stderr).toBe('\r\u001b[Kcodex · try 1 · 1 s\r\u001b[K')
  })

  it('prints the same as JSON', async () => {
    stubs.make('claude', refuse({ api_error_status: 429, result: "You've hit your weekly limit" }))
    expect(JSON.parse((await running('--json', '--', 'fix it')).stdout)).toEqual({
      ok: false,
      queued_for_retry: true,
      operation_id: 'op_1',
      retry_at: expect.stringMatching(/Z$/),
      has_runner: false,
      retry_hint: expect.stringContaining('Not done yet'),
    })
  })

  it("queues a wait longer than the queue's budget, without --budget", async () => {
    const limit = { api_error_status: 429, result: 'API Error: 429 rate limited, try again in 90 seconds' }
    stubs.make('claude', refuse(limit))
    expect(await running('--', 'fix it')).toMatchObject({ code: 75, stdout: 'op_1\n' })
    expect(stubs.starts('claude')).toHaveLength(1)
  })

  it('returns to the queue on SIGTERM, with its session and without using a retry', async () => {
    stubs.make('claude', `${work}; hang()`)
    const env = { HOME: stubs.folder, PATH: `${stubs.folder}:${process.env.PATH}` }
    const argv = ['run', '--queue', '--provider', 'claude', '--', 'fix it']
    const child = spawn(process.execPath, [BUILT_COMMAND, ...argv], { cwd: stubs.folder, env })
    const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)]
    await eventually(() => stubs.starts('claude').length === 1)
    const ended = once(child, 'exit')
    try {
      for (let shown = ''; !shown.includes('"agent_session":"s-1"'); )
        shown = (await mulligan('ops', 'show', 'op_1', '--json')).stdout
    } finally {
      child.kill('SIGTERM')
    }
    expect(await ended).toEqual([75, null])
    expect(await stdout).toBe('op_1\n')
    expect(await stderr).toContain(
      'mulligan run: stopped by SIGTERM; op_1 returned to the queue without using a retry\n',
    )
    const { stdout: shown } = await mulligan('ops', 'show', 'op_1', '--json')
    expect(JSON.parse(shown)).toMatchObject({
      state: 'scheduled',
      retries: 0,
      mode: 'resume',
      agent_session: 's-1',
    })
  })

  it('is cancelled by Ctrl-C', async () => {
    stubs.make('claude', 'hang()')
    const stop = new AbortController()
    const ran = runCommand(['run', '--queue', '--provider', 'claude', '--', 'fix it'], {
      cwd: stubs.folder,
      env: { PATH: `${stubs.folder}:${process.env.PATH}` },
      now: Date.now,
      signal: stop.signal,
    })
    await eventually(() => stubs.starts('claude').length === 1)
    stop.abort(new Stopped('SIGINT'))
    expect(await ran).toMatchObject({ code: 130, stderr: expect.stringContaining('cancelled') })
  })

  it('does not queue a prompt that would fail the same way again', async () => {
    stubs.make('claude', refuse({ api_error_status: 400, result: 'API Error: 400 messages: invalid' }))
    expect(await running('--', 'fix it')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('mulligan run: op_1 of mulligan.run'),
    })
    expect(JSON.parse((await running('--json', '--', 'fix it')).stdout)).toMatchObject({
      ok: false,
      operation_id: expect.stringMatching(/^op_\d+$/),
      dead_as: 'refused',
      failure: { class: 'permanent' },
    })
  })

  it('refuses --retries, because the queue has its own', async () => {
    expect(await running('--retries', '3', '--', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--queue retries as configured in [queue]'),
    })
  })
})
