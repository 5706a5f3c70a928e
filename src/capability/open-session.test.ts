import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testContext } from '../../test/capability/context.ts'
import { CONTINUE_PROMPT } from '../agent/resume.ts'
import { nextEvent } from '../testing/events.ts'
import { testQueue } from '../testing/test-queue.ts'
import type { AgentJob } from './kind/agent-capability.ts'
import { isStillOpen, openSessionOf, wentOn } from './open-session.ts'
import { CONTINUE_CAPABILITY, promptCapabilities } from './prompt-capability.ts'

let folder: string
let transcript: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-session-'))
  transcript = join(folder, 'transcript.jsonl')
  writeFileSync(transcript, '{"type":"user","message":"fix it"}\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A client that runs until it is ended. */
function client() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' })
  return {
    pid: child.pid as number,
    end: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

describe('an open session', () => {
  it('is open as long as the process of its client runs, and not while another has its pid', async () => {
    const { pid, end } = client()
    const open = openSessionOf(pid, undefined)
    expect(isStillOpen(open)).toBe(true)
    expect(isStillOpen({ ...open, started: '1' })).toBe(false)
    await end()
    expect(isStillOpen(open)).toBe(false)
    expect(isStillOpen(openSessionOf(undefined, undefined))).toBe(false)
  })

  const asked = (row: object) => {
    const open = openSessionOf(undefined, transcript)
    appendFileSync(transcript, `${JSON.stringify({ type: 'user', ...row })}\n`)
    return wentOn(open)
  }
  const content = (given: unknown) => ({ message: { role: 'user', content: given } })

  it('went on if a person asked something since', () => {
    const open = openSessionOf(undefined, transcript)
    expect(wentOn(open)).toBe(false)
    // More than a try of ours may write before the question.
    appendFileSync(transcript, `{"type":"assistant"}\n{"type":"x","y":"${'z'.repeat(3_000_000)}"}\nbroken\n`)
    expect(wentOn(open)).toBe(false)
    appendFileSync(transcript, '{"type":"user","message":"go on"}\n')
    expect(wentOn(open)).toBe(true)
    expect(wentOn(openSessionOf(undefined, join(folder, 'none')))).toBe(false)
  })

  it.each([
    ['a text', content('go on')],
    ['a text among others', content([{ type: 'tool_result' }, { type: 'text', text: 'go on' }])],
    ['an image', content([{ type: 'image', source: {} }])],
    ['a text for Qwen Code', { message: { role: 'user', parts: [{ text: 'go on' }] } }],
    ['a command of the user', content('<command-name>/review</command-name>\n<command-args></command-args>')],
    ['our own words and more', content(`${CONTINUE_PROMPT} And commit it.`)],
    ['something unknown', {}],
  ])('went on after %s', (_what, row) => {
    expect(asked(row)).toBe(true)
  })

  it.each([
    ['a row of its client', { isMeta: true, ...content('caveat') }],
    ['the result of a tool', content([{ type: 'tool_result', content: 'go on' }])],
    ['the prompt of a subagent', { isSidechain: true, ...content('look it up') }],
    ['a summary', { isCompactSummary: true, ...content('so far') }],
    ['our own question', content(CONTINUE_PROMPT)],
    ['our own question in parts', content([{ type: 'text', text: CONTINUE_PROMPT }])],
    ['our own question for Qwen Code', { message: { parts: [{ text: CONTINUE_PROMPT }] } }],
    ['an interruption', content([{ type: 'text', text: '[Request interrupted by user]' }])],
    [
      'being closed',
      content('<command-name>/exit</command-name>\n  <command-message>exit</command-message>'),
    ],
    ['what a command printed', content('<local-command-stdout>Bye!</local-command-stdout>')],
    ['a look at the limits', content('<command-name>/usage</command-name>')],
  ])('did not go on by %s', (_what, row) => {
    expect(asked(row)).toBe(false)
  })
})

describe('a session that a limit stopped', () => {
  async function submitted(open: object) {
    const asked: AgentJob[] = []
    const capabilities = promptCapabilities(async job => {
      asked.push(job)
      return { text: 'done' }
    })
    const { queue, time } = await testQueue({ capabilities })
    const { id } = await queue.submit(
      CONTINUE_CAPABILITY,
      { sessionId: 's-1', cwd: folder, open },
      { providers: ['claude'] },
    )
    await queue.runner().start()
    return { queue, time, id, asked }
  }

  it('is continued once its client has ended, and until then waits without harm to its provider', async () => {
    const { pid, end } = client()
    const { queue, time, id, asked } = await submitted(openSessionOf(pid, transcript))
    try {
      let snoozes = 0
      await time.until(nextEvent(queue, ({ type }) => type === 'snoozed' && ++snoozes === 7))
      expect(asked).toEqual([])
      expect((await queue.ledger.get(id))?.retries).toBe(0)
      expect((await queue.health.status()).find(each => each.id === 'claude')?.admits).toBe(true)
    } finally {
      await end()
    }
    expect(await time.until(queue.wait(id))).toMatchObject({ state: 'succeeded', result: { text: 'done' } })
    expect(asked).toMatchObject([{ provider: 'claude', resume: { sessionId: 's-1', cwd: folder } }])
    await time.until(queue.close())
  })

  it('is continued again after a failure, although our own question is in its record by then', async () => {
    const open = openSessionOf(undefined, transcript)
    appendFileSync(transcript, `${JSON.stringify({ type: 'user', message: { content: CONTINUE_PROMPT } })}\n`)
    const asked: AgentJob[] = []
    const [, , capability] = promptCapabilities(async job => {
      asked.push(job)
      return { text: 'done' }
    })
    const resume = { sessionId: 's-1', cwd: folder }
    const params = { sessionId: 's-1', cwd: folder, open }
    expect(await capability?.run(params, testContext({ provider: 'claude', resume }))).toEqual({
      text: 'done',
    })
    expect(asked).toMatchObject([{ resume }])
    // A person went on where our try had failed.
    appendFileSync(transcript, '{"type":"user","message":{"content":"go on"}}\n')
    expect(await capability?.run(params, testContext({ provider: 'claude', resume }))).toEqual({
      text: 'A person went on in this session; nothing was left to do.',
    })
    const { pid, end } = client()
    try {
      const params = { sessionId: 's-1', cwd: folder, open: openSessionOf(pid, transcript) }
      await expect(
        (async () => capability?.run(params, testContext({ provider: 'claude', resume })))(),
      ).rejects.toThrow(`still open in process ${pid}`)
    } finally {
      await end()
    }
    expect(asked).toHaveLength(1)
  })

  it('is left alone if a person went on in it', async () => {
    const open = openSessionOf(undefined, transcript)
    appendFileSync(transcript, '{"type":"user","message":"go on"}\n')
    const { queue, time, id, asked } = await submitted(open)
    expect(await time.until(queue.wait(id))).toMatchObject({ state: 'succeeded' })
    expect(asked).toEqual([])
    await time.until(queue.close())
  })
})
