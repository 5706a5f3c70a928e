import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lastStart, running } from '../../test/agent/runs.ts'
import { kimi } from './kimi.ts'

const home = () => mkdtempSync(join(tmpdir(), 'mulligan-kimi-'))

/** What Kimi Code writes when it starts. */
const begins = (id: string) => `
  const root = process.env.KIMI_CODE_HOME
  const dir = root + '/sessions/wd/${id}'
  fs.mkdirSync(dir, { recursive: true })
  fs.writeFileSync(dir + '/state.json', JSON.stringify({ id: '${id}', createdAt: Date.now() + 1 }))
  fs.appendFileSync(root + '/session_index.jsonl', JSON.stringify({ sessionId: '${id}', sessionDir: dir, workDir: process.cwd() }) + '\\n')`

describe('a run of kimi that is ended before it reports its session', () => {
  it('is found by its folder, and can be continued', async () => {
    const root = home()
    const outcome = await running(`${begins('session_1')}; process.kill(process.pid, 'SIGKILL')`, {
      cli: 'kimi',
      run: { env: { PATH: process.env.PATH, KIMI_CODE_HOME: root } },
    })
    expect(outcome).toMatchObject({
      ok: false,
      failure: { sessionId: 'session_1' },
      session: { id: 'session_1' },
    })
  })

  it('is not guessed if others work in the same folder, or did before', () => {
    const root = home()
    const session = (id: string, createdAt: number, workDir = '/work') => {
      const sessionDir = join(root, id)
      mkdirSync(sessionDir)
      writeFileSync(join(sessionDir, 'state.json'), JSON.stringify({ id, createdAt }))
      return JSON.stringify({ sessionId: id, sessionDir, workDir })
    }
    const find = (lines: string[]) => {
      writeFileSync(join(root, 'session_index.jsonl'), lines.join('\n'))
      return kimi.findSession?.({ cwd: '/work', env: { KIMI_CODE_HOME: root }, sinceMs: 1_000 })
    }
    const before = session('before', 999)
    const elsewhere = session('elsewhere', 2_000, '/other')
    const ours = session('ours', 1_001)
    expect(find([before, elsewhere])).toBeUndefined()
    expect(find([before, ours, elsewhere, 'no JSON'])).toBe('ours')
    expect(find([ours, session('theirs', 1_002)])).toBeUndefined()
  })
})

it('sets the retries of kimi by the current name of the variable', async () => {
  await running(`out({role:'assistant',content:'hi'})`, {
    cli: 'kimi',
    settings: { selfRetries: 1 },
    run: { env: { PATH: process.env.PATH, KIMI_LOOP_MAX_RETRIES_PER_STEP: '9' } },
  })
  expect(lastStart('kimi')?.env).toMatchObject({ KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: '2' })
  expect(lastStart('kimi')?.env).not.toHaveProperty('KIMI_LOOP_MAX_RETRIES_PER_STEP')
})
