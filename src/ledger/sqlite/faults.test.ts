import { execFile, spawn } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeTime } from '../../testing/fake-time.ts'
import { openForReading } from './connection.ts'
import { SCHEMA_VERSION } from './migrations.ts'
import { openLedger, type SqliteLedger } from './sqlite-ledger.ts'

let folder: string
let file: string
const open = new Set<SqliteLedger>()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mulligan-faults-'))
  file = join(folder, 'state', 'ledger.db')
})
afterEach(async () => {
  for (const ledger of open) await ledger.close()
  open.clear()
  rmSync(folder, { recursive: true, force: true })
})

async function ledgerOf(options: { lockWaitMs?: number; time?: FakeTime } = {}): Promise<SqliteLedger> {
  const ledger = await openLedger({ file, ...options })
  open.add(ledger)
  return ledger
}

const submit = (ledger: SqliteLedger, params: unknown = null) =>
  ledger.transaction(writes => writes.insert([{ capability: 'a', params }]))

describe('the files of a ledger', () => {
  it('are readable by their owner alone, and so is the folder', async () => {
    const ledger = await ledgerOf()
    await submit(ledger)
    await ledger.backup(join(folder, 'backup.db'))
    expect(statSync(join(folder, 'state')).mode & 0o777).toBe(0o700)
    for (const name of [file, `${file}-wal`, `${file}-shm`, join(folder, 'backup.db')])
      expect(statSync(name).mode & 0o777).toBe(0o600)
  })

  it('that somebody made readable are closed again', async () => {
    await (await ledgerOf()).close()
    chmodSync(file, 0o644)
    await ledgerOf()
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('of a newer version are refused, untouched', async () => {
    await (await ledgerOf()).close()
    const db = new DatabaseSync(file)
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`)
    db.close()
    await expect(ledgerOf()).rejects.toMatchObject({
      code: 'newer',
      message: expect.stringContaining('update Mulligan'),
    })
  })

  it('of something else are refused, untouched', async () => {
    mkdirSync(join(folder, 'state'))
    const db = new DatabaseSync(file)
    db.exec('CREATE TABLE theirs (a)')
    db.close()
    const diary = 'this is a diary, and long enough to be looked at as a database header of SQLite\n'.repeat(
      20,
    )
    for (const content of [readFileSync(file), Buffer.from(diary)]) {
      writeFileSync(file, content)
      chmodSync(file, 0o644)
      await expect(ledgerOf()).rejects.toMatchObject({ code: 'not_a_ledger' })
      expect(readFileSync(file).equals(content)).toBe(true)
      expect(statSync(file).mode & 0o777).toBe(0o644)
      expect(readdirSync(join(folder, 'state'))).toEqual(['ledger.db'])
    }
  })

  it.skipIf(process.platform !== 'linux')('opened twice in one process keep their locks', async () => {
    // Closing any descriptor of a file drops all locks of the process on it, also those of SQLite.
    const locks = () => {
      const { ino } = statSync(file)
      const held = readFileSync('/proc/locks', 'utf8').split('\n')
      return held.filter(line => line.includes(` ${process.pid} `) && line.includes(`:${ino} `)).length
    }
    await submit(await ledgerOf())
    const before = locks()
    await submit(await ledgerOf())
    expect(locks()).toBe(before)
  })

  it('can be opened by many processes that start at once', async () => {
    const program = `const { openLedger } = await import(${JSON.stringify(new URL('./sqlite-ledger.ts', import.meta.url).href)})
      const ledger = await openLedger({ file: ${JSON.stringify(file)} })
      await ledger.transaction(writes => writes.insert([{ capability: 'a', params: 1 }]))
      if ((await ledger.counts()).total < 1) throw new Error('the thread that reads does not see it')
      await ledger.close()`
    const run = promisify(execFile)
    await Promise.all(
      Array.from({ length: 4 }, () => run(process.execPath, ['--input-type=module', '-e', program])),
    )
    const ledger = await ledgerOf()
    expect((await ledger.counts()).total).toBe(4)
    expect(await ledger.check()).toEqual([])
  })
})

describe('a ledger in trouble', () => {
  it('says that the disk is full, keeps nothing of the write, and goes on when there is room', async () => {
    const ledger = await ledgerOf()
    await submit(ledger)
    const pages = ledger.read(db => db.prepare('PRAGMA page_count').get()?.page_count as number)
    ledger.read(db => db.exec(`PRAGMA max_page_count = ${pages + 2}`))
    const before = await ledger.lastEvent()
    await expect(submit(ledger, 'x'.repeat(50_000))).rejects.toMatchObject({
      code: 'full',
      message: expect.stringContaining('disk is full'),
    })
    expect(await ledger.lastEvent()).toBe(before)
    expect((await ledger.counts()).total).toBe(1)
    ledger.read(db => db.exec('PRAGMA max_page_count = 1000000'))
    await submit(ledger, 'x'.repeat(50_000))
    expect((await ledger.counts()).total).toBe(2)
    expect(await ledger.check()).toEqual([])
  })

  it('fails the write that does not fit, and not those made at the same time', async () => {
    const ledger = await ledgerOf()
    await submit(ledger)
    const pages = ledger.read(db => db.prepare('PRAGMA page_count').get()?.page_count as number)
    ledger.read(db => db.exec(`PRAGMA max_page_count = ${pages + 4}`))
    const results = await Promise.allSettled([
      submit(ledger),
      submit(ledger, 'x'.repeat(50_000)),
      submit(ledger),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await ledger.counts()).total).toBe(3)
  })

  it('says that a file cannot be written', async () => {
    const ledger = await ledgerOf()
    await submit(ledger)
    ledger.read(db => db.exec('PRAGMA query_only = ON'))
    await expect(submit(ledger)).rejects.toMatchObject({ code: 'read_only' })
    ledger.read(db => db.exec('PRAGMA query_only = OFF'))
    await submit(ledger)
    expect((await ledger.counts()).total).toBe(2)
  })

  it('says that the path cannot be a file', async () => {
    writeFileSync(join(folder, 'state'), 'not a folder')
    await expect(ledgerOf()).rejects.toMatchObject({
      name: 'LedgerError',
      message: expect.stringContaining(file),
    })
  })

  it('says that a file is damaged, instead of answering from it', async () => {
    const ledger = await ledgerOf()
    for (let i = 0; i < 200; i++) await submit(ledger, 'x'.repeat(500))
    await ledger.close()
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0x5a, 2_048 * 45, 2_048 * 55))
    const damaged = await ledgerOf()
    const findings = await damaged
      .check()
      .catch((error: unknown) => [{ rule: (error as { code: string }).code }])
    expect(['storage', 'corrupt']).toContain(findings[0]?.rule)
    await damaged.close()
    writeFileSync(file, bytes.subarray(0, 2_048 * 40))
    await expect(ledgerOf()).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining('restore a backup'),
    })
  })

  it('notices that its file was deleted, and a new one can be opened in its place', async () => {
    const ledger = await ledgerOf()
    await submit(ledger)
    await ledger.backup(join(folder, 'backup.db'))
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`)
    // It looks for its file twenty times a second.
    await expect
      .poll(() => submit(ledger).catch((error: unknown) => error), { interval: 10 })
      .toMatchObject({ code: 'gone', message: expect.stringContaining('restore a backup') })
    await ledger.close()
    const again = await ledgerOf()
    expect((await again.counts()).total).toBe(0)
    await submit(again)
    expect((await again.counts()).total).toBe(1)
  })

  it('waits while another process holds the lock, without standing still', async () => {
    const ledger = await ledgerOf()
    await submit(ledger)
    const holder = await lockHolder()
    let settled = false
    const written = submit(ledger).then(() => {
      settled = true
    })
    // Reads and timers go on meanwhile.
    for (let i = 0; i < 5; i++) await new Promise(resolve => setTimeout(resolve, 20))
    expect(await ledger.get('op_1')).toBeDefined()
    expect(settled).toBe(false)
    holder.release()
    await written
    expect((await ledger.counts()).total).toBe(2)
  })

  it('gives up on a lock that is never released, and says who has it', async () => {
    const ledger = await ledgerOf({ lockWaitMs: 100 })
    const holder = await lockHolder()
    await expect(submit(ledger)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('another process holds the write lock'),
    })
    holder.release()
    await submit(ledger)
    expect((await ledger.counts()).total).toBe(1)
  })

  it('gives up on it once, for all that were written at the same time', async () => {
    const time = new FakeTime()
    const ledger = await ledgerOf({ lockWaitMs: 1_000, time })
    const holder = await lockHolder()
    const written = Promise.allSettled(Array.from({ length: 20 }, () => submit(ledger)))
    await time.advance(1_500)
    const results = await Promise.race([written, Promise.resolve('still waiting')])
    holder.release()
    expect(results).toMatchObject(Array.from({ length: 20 }, () => ({ reason: { code: 'locked' } })))
  })

  it('tells what is wrong with rows that somebody changed by hand', async () => {
    const ledger = await ledgerOf()
    await submit(ledger)
    await submit(ledger)
    await ledger.close()
    const db = new DatabaseSync(file)
    db.exec(`UPDATE operations SET state = 'running', run = 1 WHERE id = 1;
      UPDATE operations SET attempts = 2 WHERE id = 2;
      INSERT INTO events (id, at, type, operation) VALUES (99, 0, 'claimed', 77);
      INSERT INTO attempts (id, run, started_at, ended_at) VALUES (65536 * 5 + 1, 1, 0, 0);
      INSERT INTO leases VALUES (2, 1, 'r', 'a', '', 0, 0, 0)`)
    db.close()
    const rules = (await (await ledgerOf()).check()).map(({ rule }) => rule)
    for (const rule of [
      'running_is_leased',
      'leased_is_running',
      'attempts_are_numbered',
      'event_has_operation',
      'attempt_has_operation',
    ])
      expect(rules).toContain(rule)
  })
})

describe('a backup', () => {
  it('is one consistent state, taken while writes go on', async () => {
    const ledger = await ledgerOf()
    const pair = () =>
      ledger.transaction(writes => {
        writes.insert([{ capability: 'a', params: 'x'.repeat(200) }])
        writes.tell('paused', { queue: true })
      })
    for (let i = 0; i < 500; i++) void pair()
    await pair()
    let going = true
    const writing = (async () => {
      while (going) await Promise.all([pair(), pair()])
    })()
    const backup = join(folder, 'backup.db')
    await ledger.backup(backup)
    going = false
    await writing
    const db = openForReading(backup)
    const { operations, events } = db
      .prepare(
        'SELECT (SELECT count(*) FROM operations) AS operations, (SELECT count(*) FROM events) AS events',
      )
      .get() as { operations: number; events: number }
    db.close()
    expect(operations).toBeGreaterThanOrEqual(501)
    expect(events).toBe(operations)
    const copy = await openLedger({ file: backup })
    open.add(copy)
    expect(await copy.check()).toEqual([])
  })

  it('never replaces a file', async () => {
    const ledger = await ledgerOf()
    const target = join(folder, 'there.db')
    writeFileSync(target, 'precious')
    await expect(ledger.backup(target)).rejects.toMatchObject({ code: 'exists' })
    expect(statSync(target).size).toBe(8)
  })

  it('leaves nothing behind where it cannot be written', async () => {
    const ledger = await ledgerOf()
    await expect(ledger.backup(join(folder, 'missing', 'b.db'))).rejects.toMatchObject({
      name: 'LedgerError',
    })
  })
})

/** Another process that holds the write lock until it is told to let go. */
async function lockHolder(): Promise<{ release: () => void }> {
  const program = `const { DatabaseSync } = require('node:sqlite')
    const db = new DatabaseSync(${JSON.stringify(file)})
    db.exec('BEGIN IMMEDIATE')
    console.log('held')
    process.stdin.on('data', () => { db.exec('ROLLBACK'); process.exit(0) })`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  await new Promise<void>(resolve => child.stdout.once('data', () => resolve()))
  return { release: () => void child.stdin.write('go') }
}
