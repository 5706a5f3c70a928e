import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LedgerFolder, submit } from '../../../test/ledger/sqlite/ledger-folder.ts'
import { openForReading } from './connection.ts'
import { SCHEMA_VERSION } from './migrations.ts'

let site: LedgerFolder
let folder: string
let file: string
beforeEach(() => {
  site = new LedgerFolder()
  ;({ folder, file } = site)
})
afterEach(() => site.close())

/** Tables that 0.1.0 did not have. */
const NEWER_TABLES = [
  ...['unknowns', 'labels', 'notices', 'deliveries', 'remembered_steps', 'bill'],
  ...['runs', 'steps', 'plans', 'actions'].map(name => `workflow_${name}`),
]

describe('a ledger of version 0.1.0', () => {
  it('is upgraded with everything in it', async () => {
    const ledger = await site.open()
    const [submitted] = await submit(ledger)
    const [pool, single] = await ledger.transaction(writes =>
      writes.insert([
        { capability: 'a', params: 1, providers: ['p', 'q'] },
        { capability: 'a', params: 1, providers: ['p'] },
      ]),
    )
    await ledger.close()
    const db = new DatabaseSync(file)
    db.exec(`DROP TABLE attendance; DROP INDEX events_of_none; DROP INDEX operations_waits; DROP INDEX operations_dead;
      ALTER TABLE attempts DROP COLUMN usage;
      ${NEWER_TABLES.map(name => `DROP TABLE ${name};`).join('\n')}
      ${['waits', 'max_retries', 'retry_for_ms', 'result_cut', 'trace'].map(name => `ALTER TABLE operations DROP COLUMN ${name};`).join('\n')}
      ALTER TABLE operations ADD COLUMN providers TEXT;
      UPDATE operations SET providers = provider, provider = '' WHERE provider LIKE '[%';
      UPDATE operations SET held_by = 'p' WHERE provider <> '' OR providers IS NOT NULL;
      ALTER TABLE provider_gates ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
      PRAGMA user_version = 1`)
    db.close()
    const again = await site.open()
    expect(await again.get(submitted?.id ?? '')).toMatchObject({ state: 'scheduled', waits: 0, retries: 0 })
    await again.advertise({ id: 'r1', capabilities: ['a'] })
    // Nothing closes their providers, whatever was marked.
    expect(await again.counts()).toMatchObject({ held: 0, due: 3 })
    expect(await again.get(pool?.id ?? '')).toMatchObject({ providers: ['p', 'q'] })
    expect(await again.get(single?.id ?? '')).toMatchObject({ providers: ['p'] })
    expect(await again.check()).toEqual([])
  })
})

describe('the files of a ledger', () => {
  it('are opened without a write, so that many can read at once, even on a full disk', async () => {
    const ledger = await site.open()
    await submit(ledger)
    const db = new DatabaseSync(file)
    const version = () => db.prepare('PRAGMA data_version').get()
    const before = version()
    await site.open()
    expect(version()).toEqual(before)
    db.close()
  })

  it('are readable only by their owner, and so is the folder', async () => {
    const ledger = await site.open()
    await submit(ledger)
    await ledger.backup(join(folder, 'backup.db'))
    expect(statSync(join(folder, 'state')).mode & 0o777).toBe(0o700)
    for (const name of [file, `${file}-wal`, `${file}-shm`, join(folder, 'backup.db')])
      expect(statSync(name).mode & 0o777).toBe(0o600)
  })

  it('are made private again if they were readable by others', async () => {
    await (await site.open()).close()
    chmodSync(file, 0o644)
    await site.open()
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('from a newer version are refused and left untouched', async () => {
    await (await site.open()).close()
    const db = new DatabaseSync(file)
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`)
    db.close()
    await expect(site.open()).rejects.toMatchObject({
      code: 'newer',
      message: expect.stringContaining('update Mulligan'),
    })
  })

  it('of something else are refused and left untouched', async () => {
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
      await expect(site.open()).rejects.toMatchObject({ code: 'not_a_ledger' })
      expect(readFileSync(file).equals(content)).toBe(true)
      expect(statSync(file).mode & 0o777).toBe(0o644)
      expect(readdirSync(join(folder, 'state'))).toEqual(['ledger.db'])
    }
  })

  it.skipIf(process.platform !== 'linux')('keep their locks if opened twice in one process', async () => {
    // Closing any descriptor of a file drops all locks of the process on it, including those of SQLite.
    const locks = () => {
      const { ino } = statSync(file)
      const held = readFileSync('/proc/locks', 'utf8').split('\n')
      return held.filter(line => line.includes(` ${process.pid} `) && line.includes(`:${ino} `)).length
    }
    await submit(await site.open())
    const before = locks()
    await submit(await site.open())
    expect(locks()).toBe(before)
  })

  it('can be opened by many processes starting at once', async () => {
    const others = Array.from({ length: 4 }, () =>
      site.process(`const ledger = await openLedger({ file })
        await ledger.transaction(writes => writes.insert([{ capability: 'a', params: 1 }]))
        await ledger.close()
        process.exit()`),
    )
    expect(await Promise.all(others.map(({ ended }) => ended))).toEqual([0, 0, 0, 0])
    const ledger = await site.open()
    expect((await ledger.counts()).total).toBe(4)
    expect(await ledger.check()).toEqual([])
  })
})

describe('a ledger in trouble', () => {
  it('reports a path that cannot be a file', async () => {
    writeFileSync(join(folder, 'state'), 'not a folder')
    await expect(site.open()).rejects.toMatchObject({
      name: 'LedgerError',
      message: expect.stringContaining(file),
    })
  })

  it('reports what is wrong with rows changed by hand', async () => {
    const ledger = await site.open()
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
    const rules = (await (await site.open()).check()).map(({ rule }) => rule)
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
  it('is one consistent state, taken while writes continue', async () => {
    const ledger = await site.open()
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
    const copy = await site.open({ file: backup })
    expect(await copy.check()).toEqual([])
  })

  it('never replaces a file', async () => {
    const ledger = await site.open()
    const target = join(folder, 'there.db')
    writeFileSync(target, 'precious')
    await expect(ledger.backup(target)).rejects.toMatchObject({ code: 'exists' })
    expect(statSync(target).size).toBe(8)
  })

  it('leaves nothing behind if it cannot be written', async () => {
    const ledger = await site.open()
    await expect(ledger.backup(join(folder, 'missing', 'b.db'))).rejects.toMatchObject({
      name: 'LedgerError',
    })
  })
})
