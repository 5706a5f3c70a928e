import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testContext } from '../../test/capability/context.ts'
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

  it('went on if a person asked something since, not if its client or a hook wrote', () => {
    const open = openSessionOf(undefined, transcript)
    expect(wentOn(open)).toBe(false)
    appendFileSync(transcript, '{"type":"system"}\n{"type":"user","isMeta":true}\nbroken\n')
    expect(wentOn(open)).toBe(false)
    appendFileSync(transcript, '{"type":"user","message":"go on"}\n')
    expect(wentOn(open)).toBe(true)
    expect(wentOn(openSessionOf(undefined, join(folder, 'none')))).toBe(false)
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
    appendFileSync(transcript, '{"type":"user","message":"You were interrupted"}\n')
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
