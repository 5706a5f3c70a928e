import { appendFileSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Stubs } from '../../test/agent/stub.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { LogTail } from './log-tail.ts'
import { runAgent } from './run-agent.ts'

const stubs = new Stubs()
const folder = () => mkdtempSync(join(tmpdir(), 'mulligan-log-'))

describe('a log that is written while it is read', () => {
  it('is read line by line as it grows, and to its end', async () => {
    const path = join(folder(), 'a.txt')
    const time = new FakeTime()
    const lines: string[] = []
    const tail = new LogTail(path, time, line => lines.push(line))
    await time.advance(500)
    expect(lines).toEqual([])
    writeFileSync(path, 'one\ntw')
    await time.advance(500)
    expect(lines).toEqual(['one'])
    appendFileSync(path, 'o\nthree')
    tail.end()
    expect(lines).toEqual(['one', 'two', 'three'])
    expect(time.pending).toBe(0)
  })
})

describe('qwen, which retries silently but logs it', () => {
  const ENTRY = [
    '2026-11-16T15:47:41.316Z [WARN] [RETRY] [trace_id=46ae670c span_id=ba925b46] Attempt 1 failed with status 429. Retrying after explicit delay of 7200000ms... {',
    "  kind: 'http',",
    '  statusCode: 429,',
    '} Error: 429 Rate limit reached for qwen-lab-1 on tokens per min (TPM): Limit 30000, Used 29500.',
    '    at APIError.generate (file:///x.js:147:14)',
    '',
  ].join('\n')
  const body = (env: string) => `
    out({type:'system',subtype:'init',session_id:'s-1',model:'m'})
    const log = require('node:path').join(process.env.QWEN_RUNTIME_DIR, 'debug')
    fs.mkdirSync(log, { recursive: true })
    if (process.env.QWEN_DEBUG_LOG_FILE === ${JSON.stringify(env)}) fs.writeFileSync(log + '/s-1.txt', ${JSON.stringify(ENTRY)})
    hang()`

  it.each([
    [undefined, false],
    ['true', true],
  ])(
    'so that a wait of hours ends the run; the log stays only if the caller asked for it (%s)',
    async (asked, stays) => {
      const home = folder()
      const binary = stubs.make(`qwen-${asked}`, body(asked ?? '1'))
      const outcome = await runAgent(
        { id: 'my-qwen', cli: 'qwen', binary },
        { prompt: 'fix it' },
        {
          env: {
            PATH: process.env.PATH,
            QWEN_RUNTIME_DIR: home,
            ...(asked === undefined ? {} : { QWEN_DEBUG_LOG_FILE: asked }),
          },
        },
      )
      expect(outcome).toMatchObject({
        ok: false,
        failure: {
          class: 'throttle',
          kind: 'rate_limit',
          retryAfterMs: 7_200_000,
          effect: 'none',
          sessionId: 's-1',
        },
      })
      expect(existsSync(join(home, 'debug', 's-1.txt'))).toBe(stays)
    },
  )
})
