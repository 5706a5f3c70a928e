import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { LedgerFolder, submit } from '../../../test/ledger/sqlite/ledger-folder.ts'
import { openLedger } from './sqlite-ledger.ts'

let site: LedgerFolder
beforeEach(() => {
  site = new LedgerFolder()
})
afterEach(() => site.close())

const filesOf = (file: string) => [file, `${file}-wal`, `${file}-shm`]

describe('a ledger whose file goes away while it is open', () => {
  it('rejects every write that begins after the file was deleted', async () => {
    const ledger = await site.open()
    // The guard has just looked, so the very next write must notice.
    await submit(ledger)
    for (const file of filesOf(site.file)) rmSync(file)
    const results = await Promise.allSettled(Array.from({ length: 300 }, () => submit(ledger)))
    for (const result of results)
      expect(result).toMatchObject({
        status: 'rejected',
        reason: {
          code: 'gone',
          message: expect.stringMatching(
            /ledger\.db was deleted, replaced or moved while it was open: .*restore a backup/,
          ),
        },
      })
    await expect(ledger.setSetting('a', 1)).rejects.toMatchObject({ code: 'gone' })
    await expect(ledger.moveCursor('me', 0, 1)).rejects.toMatchObject({ code: 'gone' })
    // The lost file has no new writes.
    expect(await ledger.lastEvent()).toBe(1)
  })

  it('notices when another process deletes the file, and a new one can be created in its place', async () => {
    const ledger = await site.open()
    await submit(ledger)
    execFileSync('rm', ['-r', join(site.folder, 'state')])
    await expect(submit(ledger)).rejects.toMatchObject({ code: 'gone' })
    await ledger.close()
    const again = await site.open()
    expect((await again.counts()).total).toBe(0)
    await submit(again)
    expect((await again.counts()).total).toBe(1)
  })

  it('writes nothing into a file that replaced its own, and that file is intact', async () => {
    const ledger = await site.open()
    await submit(ledger)
    const backup = join(site.folder, 'backup.db')
    await ledger.backup(backup)
    await submit(ledger)
    renameSync(backup, site.file)
    await expect(submit(ledger)).rejects.toMatchObject({ code: 'gone' })
    await ledger.close()
    for (const file of filesOf(site.file).slice(1)) rmSync(file, { force: true })
    const restored = await site.open()
    expect((await restored.counts()).total).toBe(1)
    expect(await restored.check()).toEqual([])
  })

  it('continues with everything intact when the file is put back', async () => {
    const ledger = await site.open()
    await submit(ledger)
    const elsewhere = join(site.folder, 'elsewhere.db')
    renameSync(site.file, elsewhere)
    await expect(submit(ledger)).rejects.toMatchObject({ code: 'gone' })
    renameSync(elsewhere, site.file)
    await submit(ledger)
    expect((await ledger.counts()).total).toBe(2)
    expect(await ledger.check()).toEqual([])
  })

  it('notices that only the write-ahead log was deleted, even if another process made a new one', async () => {
    const ledger = await site.open()
    await submit(ledger)
    for (const file of filesOf(site.file).slice(1)) rmSync(file)
    const other = site.process(`const db = new DatabaseSync(file)
      tell(db.prepare('PRAGMA user_version').get())`)
    await other.heard()
    await expect(submit(ledger)).rejects.toMatchObject({
      code: 'gone',
      message: expect.stringContaining('ledger.db-wal was deleted'),
    })
    expect(await ledger.lastEvent()).toBe(1)
  })

  it('is found through a linked folder, too', async () => {
    await (await site.open()).close()
    const link = `${site.folder}-link`
    symlinkSync(dirname(site.file), link)
    onTestFinished(() => rmSync(link))
    const ledger = await openLedger({ file: join(link, basename(site.file)) })
    await submit(ledger)
    expect(existsSync(`${site.file}-wal`)).toBe(true)
    rmSync(site.file)
    await expect(submit(ledger)).rejects.toMatchObject({ code: 'gone' })
    await ledger.close()
  })
})

describe('a ledger in an unchanged folder, where one look at the folder is enough', () => {
  /** Writes until the log has a later timestamp than the folder. */
  async function quiet() {
    const ledger = await site.open()
    const changedAt = (file: string) => statSync(file).ctimeMs
    do await submit(ledger)
    while (changedAt(`${site.file}-wal`) <= changedAt(dirname(site.file)))
    for (let looks = 0; looks < 2; looks++) await submit(ledger)
    return ledger
  }

  it.each<[string, () => void]>([
    ['the file is deleted', () => rmSync(site.file)],
    ['the log is deleted', () => rmSync(`${site.file}-wal`)],
    [
      'the log is replaced by another one',
      () => {
        copyFileSync(`${site.file}-wal`, `${site.file}-copy`)
        renameSync(`${site.file}-copy`, `${site.file}-wal`)
      },
    ],
    [
      'the file is replaced by another one',
      () => {
        copyFileSync(site.file, `${site.file}-copy`)
        renameSync(`${site.file}-copy`, site.file)
      },
    ],
    ['its folder is moved', () => renameSync(dirname(site.file), join(site.folder, 'moved'))],
    [
      'its folder is moved and another one made in its place',
      () => {
        renameSync(dirname(site.file), join(site.folder, 'moved'))
        mkdirSync(dirname(site.file))
      },
    ],
  ])('rejects every write after %s', async (_what, change) => {
    const ledger = await quiet()
    const last = await ledger.lastEvent()
    change()
    await expect(submit(ledger)).rejects.toMatchObject({ code: 'gone' })
    await expect(submit(ledger)).rejects.toMatchObject({ code: 'gone' })
    expect(await ledger.lastEvent()).toBe(last)
  })

  it('continues when something else in the folder has changed', async () => {
    const ledger = await quiet()
    mkdirSync(join(dirname(site.file), 'results'))
    await submit(ledger)
    await submit(ledger)
    rmSync(site.file)
    await expect(submit(ledger)).rejects.toMatchObject({ code: 'gone' })
  })
})
