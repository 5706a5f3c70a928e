import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import type { Fence } from '../../ledger/operation.ts'
import { openLedger, type SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { EmbeddedEngine } from './embedded-engine.ts'

let folder: string
let ledger: SqliteLedger
let engine: EmbeddedEngine
/** A run in progress. */
let fence: Fence
let waiting: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-full-'))
  ledger = await openLedger({ file: join(folder, 'ledger.db') })
  engine = new EmbeddedEngine({ ledger })
  await engine.schedule([{ capability: 'one', params: null }])
  const { runs } = await engine.claim({ runner: 'me', capabilities: ['one'], limit: 1 })
  fence = (runs[0] as (typeof runs)[0]).fence
  const many = Array.from({ length: 600 }, (_, n) => ({ capability: 'many', params: n }))
  waiting = (await engine.schedule(many))[0]?.id as string
})
afterEach(async () => {
  await engine.close()
  await ledger.close()
  rmSync(folder, { recursive: true })
})

/** More than fits into the existing pages. */
const large = 'x'.repeat(100_000)
const attempt = { startedAt: 1, endedAt: 2, note: large }
const failure = classify(new Error('socket hang up'), { provider: 'p' }) as Failure
const reason = { reason: 'why', rule: 'test' }

/** Every row of every table, to reveal a partly stored write. */
function everything(): string {
  return ledger.read(db => {
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'failure_texts%'")
      .all() as { name: string }[]
    return JSON.stringify(tables.map(({ name }) => db.prepare(`SELECT * FROM ${name}`).all()))
  })
}

const pragma = (name: string) =>
  ledger.read(db => Object.values(db.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[0] as number)

const verbs: Record<string, () => Promise<unknown>> = {
  submit: () => engine.schedule([{ capability: 'a', params: large }]),
  'submit of a list': () =>
    engine.schedule(
      Array.from({ length: 500 }, (_, n) => ({ capability: 'a', params: { n }, key: `k${n}` })),
    ),
  begin: () => engine.begin({ capability: 'a', params: large }, { runner: 'me' }),
  claim: () => engine.claim({ runner: 'me', capabilities: ['many'], limit: 600 }),
  record: () => engine.record(fence, { agentSession: 's-1', folder: large }),
  append: () => engine.append(fence, { ...attempt, failure }),
  release: () => engine.release(fence, { attempt }),
  'settle as succeeded': () => engine.settle(fence, { succeeded: true, result: large }),
  'settle as retried': () =>
    engine.settle(fence, {
      attempt: { ...attempt, failure },
      verdict: { action: 'retry', delayMs: 10, mode: 'again', ...reason },
    }),
  'settle as dead': () =>
    engine.settle(fence, { attempt, verdict: { action: 'cancel', as: 'refused', ...reason } }),
  'an event': () => ledger.transaction(writes => writes.tell('provider_blocked', { why: large })),
  'a setting': () => ledger.setSetting('theme', large),
  'provider state': () => ledger.providers.compareAndSet('p', 0, large),
  edit: () => engine.edit(waiting, { params: large }),
}

describe('a full disk', () => {
  it.each(Object.keys(verbs))(
    'is reported by %s, which stores nothing, and works again once there is space',
    async name => {
      const verb = verbs[name] as () => Promise<unknown>
      const before = everything()
      ledger.read(db => db.exec(`PRAGMA max_page_count = ${pragma('page_count')}`))
      await expect(verb()).rejects.toMatchObject({
        name: 'LedgerError',
        code: 'full',
        message: expect.stringMatching(
          /ledger\.db: the disk is full: free some space; nothing of this write was stored/,
        ),
      })
      expect(everything()).toBe(before)
      expect(await ledger.check()).toEqual([])
      // Operations that need no space continue, including reads.
      expect((await ledger.counts()).states.running).toBe(1)

      ledger.read(db => db.exec('PRAGMA max_page_count = 4294967294'))
      await verb()
      expect(everything()).not.toBe(before)
      expect(await ledger.check()).toEqual([])
    },
  )

  it('fails only the write that does not fit, not others made at the same time', async () => {
    const before = (await ledger.counts()).total
    ledger.read(db => db.exec(`PRAGMA max_page_count = ${pragma('page_count') + 8}`))
    const small = () => engine.schedule([{ capability: 'a', params: null }])
    const results = await Promise.allSettled([small(), verbs.submit?.(), small()])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await ledger.counts()).total).toBe(before + 2)
  })

  it.skipIf(!canMount())(
    'on a real file system is reported, keeps what fitted, and can be recovered from',
    async () => {
      const program = `import { rmSync, writeFileSync } from 'node:fs'
      import { EmbeddedEngine } from ${JSON.stringify(new URL('./embedded-engine.ts', import.meta.url).href)}
      import { openLedger } from ${JSON.stringify(new URL('../../ledger/sqlite/sqlite-ledger.ts', import.meta.url).href)}
      const folder = process.env.FOLDER
      writeFileSync(folder + '/filler', Buffer.alloc(1_500_000))
      const ledger = await openLedger({ file: folder + '/ledger.db' })
      const engine = new EmbeddedEngine({ ledger })
      const submit = () => engine.schedule([{ capability: 'a', params: 'x'.repeat(20_000) }])
      const codeOf = ({ code }) => code
      let written = 0
      let code
      while (!code) code = await submit().then(() => { written++ }, codeOf)
      const { total } = await ledger.counts()
      const claim = await engine.claim({ runner: 'me', capabilities: ['a'], limit: 1_000 }).catch(codeOf)
      rmSync(folder + '/filler')
      await submit()
      const { runs } = await engine.claim({ runner: 'me', capabilities: ['a'], limit: 1 })
      await engine.settle(runs[0].fence, { succeeded: true, result: 1 })
      const findings = await ledger.check()
      console.log(JSON.stringify({ code, lost: written - total, claim, runs: runs.length, findings }))
      await engine.close()
      await ledger.close()`
      // A separate file system that disappears with the process.
      const { stdout } = await promisify(execFile)(
        'unshare',
        [
          '-m',
          'sh',
          '-c',
          'mount -t tmpfs -o size=3m,mode=0700 tmpfs "$FOLDER" && exec "$0" --input-type=module -e "$1"',
          process.execPath,
          program,
        ],
        { env: { ...process.env, FOLDER: folder } },
      )
      expect(JSON.parse(stdout)).toEqual({ code: 'full', lost: 0, claim: 'full', runs: 1, findings: [] })
    },
  )
})

/** Whether this machine lets us mount a small file system: as root on Linux. */
function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
