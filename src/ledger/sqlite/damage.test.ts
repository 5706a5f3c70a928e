import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LedgerFolder, submit } from '../../../test/ledger/sqlite/ledger-folder.ts'
import type { SqliteLedger } from './sqlite-ledger.ts'

let site: LedgerFolder
beforeEach(() => {
  site = new LedgerFolder()
})
afterEach(() => site.close())

const PAGE = 2_048
const corrupt = {
  name: 'LedgerError',
  code: 'corrupt',
  message: expect.stringMatching(/ledger\.db: the file is damaged: stop everything and restore a backup/),
}

/** A ledger with 300 operations, more than a connection caches, all of it in the file itself. */
async function filled(): Promise<SqliteLedger> {
  const ledger = await site.open()
  await Promise.all(Array.from({ length: 300 }, (_, n) => submit(ledger, `${n} `.repeat(10_000))))
  ledger.read(db => db.exec('PRAGMA wal_checkpoint(TRUNCATE)'))
  return ledger
}

/** Overwrites pages with garbage, without replacing the file. */
function scribble(fromPage: number, toPage: number): void {
  const file = openSync(site.file, 'r+')
  writeSync(
    file,
    Buffer.alloc((toPage - fromPage) * PAGE, 0x5a),
    0,
    (toPage - fromPage) * PAGE,
    fromPage * PAGE,
  )
  closeSync(file)
}

describe('a damaged file', () => {
  it('is refused at the start if the damage shows, and left untouched', async () => {
    const ledger = await filled()
    const { total } = await ledger.counts()
    expect(total).toBe(300)
    await ledger.close()
    const bytes = readFileSync(site.file)
    writeFileSync(site.file, bytes.subarray(0, 40 * PAGE))
    await expect(site.open()).rejects.toMatchObject(corrupt)
    expect(readFileSync(site.file)).toEqual(bytes.subarray(0, 40 * PAGE))
    writeFileSync(site.file, Buffer.concat([Buffer.from('this is a diary\n'.repeat(8)), bytes.subarray(128)]))
    await expect(site.open()).rejects.toMatchObject({
      code: 'not_a_ledger',
      message: expect.stringContaining(site.file),
    })
    writeFileSync(site.file, bytes)
    expect(await (await site.open()).check()).toEqual([])
  })

  it('is found by a check if the start does not notice', async () => {
    await (await filled()).close()
    scribble(100, 400)
    const damaged = await site.open()
    const findings = await damaged
      .check()
      .catch((error: unknown) => [{ rule: (error as { code: string }).code }])
    expect(['storage', 'corrupt']).toContain(findings[0]?.rule)
  })

  it('makes reads and writes fail if it happens while open, and a backup restores everything', async () => {
    const ledger = await filled()
    const backup = join(site.folder, 'backup.db')
    await ledger.backup(backup)
    const size = ledger.read(db => db.prepare('PRAGMA page_count').get()?.page_count as number)
    const last = await ledger.lastEvent()
    scribble(1, size)
    // A connection may answer from its cache, which is intact; it must not answer from the damaged file.
    ledger.read(db => db.exec('PRAGMA shrink_memory'))
    await expect(ledger.get('op_150')).rejects.toMatchObject(corrupt)
    await expect(ledger.list({ state: 'scheduled' })).rejects.toMatchObject(corrupt)
    const writes = await Promise.allSettled([submit(ledger), submit(ledger), ledger.setSetting('a', 1)])
    for (const write of writes) expect(write).toMatchObject({ status: 'rejected', reason: corrupt })
    await ledger.close()

    site.forget()
    renameSync(backup, site.file)
    const restored = await site.open()
    expect(await restored.check()).toEqual([])
    expect((await restored.counts()).total).toBe(300)
    expect(await restored.lastEvent()).toBe(last)
    await submit(restored)
    expect((await restored.counts()).total).toBe(301)
  })

  it('loses no commits when a write was cut off in the middle', async () => {
    // A process that dies without closing leaves its log; a torn write leaves half a frame at the end of it.
    const other = site.process(`const ledger = await openLedger({ file })
      for (let n = 0; n < 50; n++) await ledger.transaction(writes => writes.insert([{ capability: 'a', params: n }]))
      tell('written')
      await orders.next()`)
    await other.heard()
    other.child.kill('SIGKILL')
    await other.ended
    rmSync(`${site.file}-shm`)
    appendFileSync(`${site.file}-wal`, Buffer.alloc(1_500, 0x5a))
    const ledger = await site.open()
    expect((await ledger.counts()).total).toBe(50)
    expect(await ledger.check()).toEqual([])
    await submit(ledger)
    expect(await ledger.check()).toEqual([])
  })
})

describe('verifying a ledger before closing it', () => {
  const log = () => `${site.file}-wal`
  const damaged = (what: RegExp) => ({ code: 'corrupt', message: expect.stringMatching(what) })

  /** Overwrites the log in place, starting at this fraction of its length. */
  function overwrite(part: number, length = 3_000): void {
    const at = Math.floor(statSync(log()).size * part)
    const file = openSync(log(), 'r+')
    writeSync(file, Buffer.alloc(length, 0x5a), 0, length, at)
    closeSync(file)
  }

  it('succeeds on an intact ledger, even while another process writes and moves the log into the file', async () => {
    const ledger = await site.open()
    await ledger.verify()
    await submit(ledger)
    await ledger.verify()
    const other = site.process(`const ledger = await openLedger({ file })
      tell('begun')
      let isOver = false
      void orders.next().then(() => { isOver = true })
      for (let n = 0; !isOver; n++) {
        await ledger.transaction(writes => writes.insert([{ capability: 'a', params: 'x'.repeat(5000) }]))
        if (n % 5 === 0) ledger.read(db => db.exec('PRAGMA wal_checkpoint(RESTART)'))
      }
      await ledger.close()
      tell('ended')`)
    await other.heard()
    for (let n = 0; n < 40; n++) await ledger.verify()
    other.order('end')
    await other.heard()
    await ledger.verify()
    await ledger.close()
  })

  it('ignores a damaged log that is already in the file', async () => {
    const ledger = await filled()
    await submit(ledger)
    ledger.read(db => db.exec('PRAGMA wal_checkpoint(PASSIVE)'))
    overwrite(0.5)
    await ledger.verify()
  })

  it.each([0, 0.3, 0.7])('reports that the log was overwritten at %d of its length', async part => {
    const ledger = await site.open()
    for (let n = 0; n < 20; n++) await submit(ledger, 'x'.repeat(5_000))
    overwrite(part)
    await expect(ledger.verify()).rejects.toMatchObject(
      damaged(
        /ledger\.db-wal was overwritten or cut off .* of the last \d+ pages written, \d+ are intact; see/,
      ),
    )
  })

  it('reports that the log was cut off', async () => {
    const ledger = await site.open()
    for (let n = 0; n < 20; n++) await submit(ledger, 'x'.repeat(5_000))
    truncateSync(log(), 20_000)
    await expect(ledger.verify()).rejects.toMatchObject(damaged(/ledger\.db-wal was overwritten or cut off/))
  })

  it('reports that the file was overwritten', async () => {
    const ledger = await filled()
    scribble(100, 400)
    await expect(ledger.verify()).rejects.toMatchObject({ code: 'corrupt' })
  })
})
