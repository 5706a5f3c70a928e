import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../../../test/cli/terminal.ts'
import { wentOn } from '../../../capability/open-session.ts'
import { sessionNameOf } from '../../../gateway/mcp/server/session.ts'
import { LEDGER_NAME } from '../../../ledger/location.ts'
import { openLedger } from '../../../ledger/sqlite/sqlite-ledger.ts'
import type { Terminal } from '../../terminal.ts'
import { run } from './hook.ts'
import { lineOf } from './status-line.ts'
import { failureIn, resetIn } from './stop-failure.ts'

/** Whole seconds, as limits are stated. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000
let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mulligan-hook-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const command = (argv: readonly string[], stdin = '') =>
  runCommand([...argv, '--data', join(home, 'data')], {
    cwd: home,
    env: { HOME: home, PATH: '' },
    stdin,
    now: Date.now,
  })
const hook = (name: string, input: object, ...more: string[]) =>
  command(['hook', name, ...more], JSON.stringify(input))

async function blocks(): Promise<unknown> {
  const { providers } = JSON.parse((await command(['providers', 'ls', '--json'])).stdout)
  return providers.map(({ id, until }: { id: string; until: string }) => [id, Date.parse(until)])
}

describe('the hook for a turn that failed', () => {
  it('blocks the provider until the time in the transcript', async () => {
    const transcript = join(home, 'transcript.jsonl')
    const at = Math.floor((NOW + 7_200_000) / 1_000)
    writeFileSync(transcript, `{"a":1}\n{"quotaLimits":{"resetsAt":${at}}}\n`)
    const input = {
      error: 'rate_limit',
      last_assistant_message: "You've hit your weekly limit",
      transcript_path: transcript,
    }
    expect(await hook('stop-failure', input)).toMatchObject({ code: 0, stdout: '' })
    expect(await blocks()).toEqual([['claude', NOW + 7_200_000]])
    expect((await hook('status-line', {})).stdout).toMatch(/^mulligan · claude until /)
  })

  it('leaves the session to the queue, once, if that is wished', async () => {
    const input = {
      last_assistant_message: 'Usage limit reached',
      resets_at_ms: NOW + 3_600_000,
      session_id: 's-1',
      cwd: home,
    }
    await hook('stop-failure', input)
    const waiting = async () => JSON.parse((await command(['ops', 'ls', '--json'])).stdout).operations
    expect(await waiting()).toEqual([])
    await hook('stop-failure', input, '--continue', '--owner', String(process.pid))
    await hook('stop-failure', input, '--continue', '--owner', String(process.pid))
    expect(await waiting()).toMatchObject([
      {
        capability: 'mulligan.continue',
        params: { sessionId: 's-1', cwd: home, open: { pid: process.pid } },
        providers: ['claude'],
        due_at: new Date(NOW + 3_600_000).toISOString(),
      },
    ])
    for (const session_id of [undefined, '--dangerously-skip-permissions', '../../x', '$(id)'])
      await hook('stop-failure', { ...input, session_id }, '--continue')
    const unpaid = {
      ...input,
      last_assistant_message: 'Your credit balance is too low',
      resets_at_ms: undefined,
    }
    await hook('stop-failure', { ...unpaid, session_id: 's-2' }, '--continue')
    expect(await waiting()).toHaveLength(1)
    await hook('stop-failure', { ...input, resets_at_ms: undefined, session_id: 's-3' }, '--continue')
    expect(await waiting()).toHaveLength(2)
  })

  it('continues a session that a limit stops again from where it stopped last, once', async () => {
    const transcript = join(home, 'transcript.jsonl')
    const rows = (...given: string[]) => given.map(row => `${row}\n`).join('')
    const input = {
      last_assistant_message: 'Usage limit reached',
      resets_at_ms: NOW + 3_600_000,
      session_id: 's-1',
      cwd: home,
      transcript_path: transcript,
    }
    const waiting = async () => JSON.parse((await command(['ops', 'ls', '--json'])).stdout).operations
    const first = rows('{"type":"user","message":{"content":"fix it"}}')
    writeFileSync(transcript, first)
    await hook('stop-failure', input, '--continue')
    expect(await waiting()).toMatchObject([{ params: { open: { bytes: first.length } } }])
    const second = first + rows('{"type":"user","message":{"content":"go on"}}', '{"type":"assistant"}')
    writeFileSync(transcript, second)
    await hook('stop-failure', { ...input, resets_at_ms: NOW + 7_200_000 }, '--continue')
    await hook('stop-failure', { ...input, session_id: 's-2' }, '--continue')
    expect(await waiting()).toMatchObject([
      { params: { sessionId: 's-2' } },
      {
        params: { sessionId: 's-1', open: { transcript, bytes: second.length } },
        due_at: new Date(NOW + 7_200_000).toISOString(),
        state: 'scheduled',
      },
    ])
    expect(wentOn({ transcript, bytes: second.length })).toBe(false)
    // One that has ended is no reason to leave the session alone when the same limit stops it again.
    await command(['ops', 'cancel', (await waiting())[1].id, '--yes'])
    writeFileSync(transcript, second + rows('{"type":"assistant"}'))
    await hook('stop-failure', { ...input, resets_at_ms: NOW + 7_200_000 }, '--continue')
    expect((await waiting()).map(({ state }: { state: string }) => state).sort()).toEqual([
      'dead',
      'scheduled',
      'scheduled',
    ])
  })

  it('leaves a run that Mulligan started to whoever started it', async () => {
    const input = { last_assistant_message: 'Usage limit reached', session_id: 's-1', cwd: home }
    await runCommand(['hook', 'stop-failure', '--continue', '--data', join(home, 'data')], {
      cwd: home,
      env: { HOME: home, PATH: '', MULLIGAN_TREE: 'x' },
      stdin: JSON.stringify(input),
      now: Date.now,
    })
    expect(JSON.parse((await command(['ops', 'ls', '--json'])).stdout).operations).toEqual([])
  })

  it('takes the time that opencode announces', async () => {
    const input = { last_assistant_message: 'Usage limit reached', resets_at_ms: NOW + 3_600_000 }
    await hook('stop-failure', input, '--client', 'opencode')
    expect(await blocks()).toEqual([['opencode', NOW + 3_600_000]])
  })

  it('ignores a time that has passed, and one that no limit has', () => {
    expect(resetIn('{"resetsAt":1700000000}', NOW)).toBeUndefined()
    expect(resetIn('{"resetsAt":9999999999}', NOW)).toBeUndefined()
    expect(resetIn('', NOW)).toBeUndefined()
  })

  it('believes the client, not what a tool or a model wrote', () => {
    const soon = Math.floor(NOW / 1_000) + 60
    const rows = [
      { quotaLimits: { resetsAt: soon } },
      { type: 'user', toolUseResult: { resetsAt: soon + 60 } },
      { type: 'assistant', message: { content: [{ input: { resetsAt: soon + 120 } }] } },
    ]
    const wait = resetIn(rows.map(row => JSON.stringify(row)).join('\n'), NOW)
    expect(wait).toEqual({ retryAfterMs: 60_000, resetAt: NOW + 60_000 })
  })

  it.each([8_640_000_000_000_001, 1e300, -1])('is not misled by %d as the time', async at => {
    await hook('stop-failure', { last_assistant_message: 'usage limit reached', resets_at_ms: at })
    expect((await command(['status'])).code).toBe(0)
    const { stdout, code } = await command(['providers', 'ls', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).providers[0]?.until ?? '').not.toContain('+')
  })

  it('goes by the type of the error if the words say nothing', () => {
    const input = { last_assistant_message: 'Something odd', error: 'authentication_failed' }
    expect(failureIn(input, { now: NOW })).toMatchObject({ class: 'permanent', kind: 'auth' })
    const words = { last_assistant_message: 'Opus is experiencing high load', error: 'rate_limit' }
    expect(failureIn(words, { now: NOW })?.class).toBe('transient')
  })

  it('ignores a transcript that is no regular file', async () => {
    const input = { last_assistant_message: 'Usage limit reached', transcript_path: home }
    expect(await hook('stop-failure', input)).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('the hook for a tool that failed', () => {
  const said = async (error: string, tool = 'mcp__tracker__create') => {
    const { stdout } = await hook('tool-failure', { tool_name: tool, error })
    return stdout === '' ? '' : JSON.parse(stdout).hookSpecificOutput.additionalContext
  }

  it('says that a queued call runs by itself', async () => {
    expect(await said('Rate limited. Queued as op_12.')).toContain('queued as op_12')
  })

  it('says when a limit lifts, and that a login is for a person', async () => {
    expect(await said('429 Too Many Requests: retry after 90 seconds')).toContain('a limit is reached')
    expect(await said('401 Unauthorized: invalid token')).toContain('a person must log in')
  })

  it('is silent about local tools, interrupts and what it does not know', async () => {
    expect(await said('429 Too Many Requests', 'Bash')).toBe('')
    expect(await said('no such column: name')).toBe('')
    const { stdout } = await hook('tool-failure', {
      tool_name: 'mcp__a__b',
      error: '429 Too Many Requests',
      is_interrupt: true,
    })
    expect(stdout).toBe('')
  })
})

describe('the hook for a session that ends', () => {
  /** An operation of a session that expired. */
  async function expired(session: string): Promise<void> {
    mkdirSync(join(home, 'data'))
    const ledger = await openLedger({ file: join(home, 'data', LEDGER_NAME) })
    await ledger.transaction(writes => {
      const [made] = writes.insert([{ capability: 'deploy', params: {}, session }])
      writes.park(made?.id as string, { for: 'label', reason: 'unknown failure' })
      writes.expire(made?.id as string, 'nothing happened in time')
    })
    await ledger.close()
  }

  it('lets it end without a ledger', async () => {
    expect(await hook('stop', { session_id: 's', cwd: home })).toMatchObject({ code: 0, stdout: '' })
  })

  it.each([
    ['named by the client', () => 's'],
    ['named by its MCP server', () => sessionNameOf('claude-code', home)],
  ])('holds a session %s while its inbox has something, but not twice in a row', async (_how, name) => {
    await expired(name())
    const held = await hook('stop', { session_id: 's', cwd: home })
    expect(held.code).toBe(0)
    expect(JSON.parse(held.stdout)).toMatchObject({ decision: 'block' })
    expect(JSON.parse(held.stdout).reason).toContain('deploy')
    const again = await hook('stop', { session_id: 's', cwd: home, stop_hook_active: true })
    expect(again).toMatchObject({ code: 0, stdout: '' })
  })
})

it('never fails, whatever it is given', async () => {
  for (const name of ['stop', 'stop-failure', 'tool-failure', 'status-line'])
    expect((await command(['hook', name], 'no JSON')).code).toBe(0)
})

it.each([['unknown'], ['stop', '--unknown'], []])(
  'says nothing about wrong usage to a client: %s %s',
  async (...argv) => {
    expect(await command(['hook', ...argv])).toEqual({ code: 0, stdout: '', stderr: '' })
    expect((await runCommand(['hook', ...argv], { isTerminal: true })).code).toBe(2)
  },
)

it('ends by itself if nobody closes its stdin', async () => {
  vi.useFakeTimers()
  try {
    const exit = vi.fn()
    void run(['stop'], {
      isTerminal: false,
      readStdin: () => new Promise(() => {}),
      exit,
    } as never as Terminal)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(exit).toHaveBeenCalledWith(0)
  } finally {
    vi.useRealTimers()
  }
})

it('reads no stdin for a status line', async () => {
  const readStdin = vi.fn()
  const said: unknown[] = []
  const terminal = { isTerminal: false, readStdin, env: { HOME: home }, cwd: home, now: () => NOW }
  await run(['status-line', '--data', join(home, 'data')], {
    ...terminal,
    stdout: (text: unknown) => said.push(text),
    stderr: () => {},
  } as never as Terminal)
  expect(readStdin).not.toHaveBeenCalled()
  expect(said).toEqual(['mulligan\n'])
})

it('names only what is not well in the status line', () => {
  const well = {
    retryQueue: { queued: 0 },
    held: 0,
    running: 0,
    parked: { total: 0, for: {} },
    providers: [],
  }
  expect(lineOf(well, NOW)).toBe('mulligan')
  expect(lineOf({ ...well, retryQueue: { queued: 5 }, held: 2, parked: { total: 1, for: {} } }, NOW)).toBe(
    'mulligan · 2 held · 3 waiting · 1 for you',
  )
})
