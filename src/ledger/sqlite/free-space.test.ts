import { statSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fill, LedgerFolder, submit } from '../../../test/ledger/sqlite/ledger-folder.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import type { SqliteLedger } from './sqlite-ledger.ts'

let site: LedgerFolder
let time: FakeTime
let ledger: SqliteLedger
beforeEach(async () => {
  site = new LedgerFolder()
  time = new FakeTime()
  ledger = await site.open({ time })
})
afterEach(() => site.close())

const size = () => statSync(site.file).size
const free = () => ledger.read(db => db.prepare('PRAGMA freelist_count').get()?.freelist_count as number)
/** Moves everything that was written into the file itself. */
const reopen = async () => {
  await ledger.close()
  ledger = await site.open({ time })
}

describe('space left by deleted operations', () => {
  it('is returned to the disk without a rewrite, and the remaining data is intact', async () => {
    await fill(ledger, 3_000)
    await reopen()
    const before = size()
    const [kept] = await submit(ledger, 'kept')
    await ledger.prune({ deadAfterMs: -1 })
    await reopen()
    expect(size()).toBeGreaterThanOrEqual(before)
    const bytes = await time.until(ledger.giveBack())
    expect(bytes).toBeGreaterThan(before / 2)
    expect(size()).toBeLessThan(before / 2)
    expect(await ledger.get(kept?.id ?? '')).toMatchObject({ params: 'kept' })
    expect(await ledger.check()).toEqual([])
    expect(await ledger.giveBack()).toBe(0)
  })

  it('is returned in small steps: others write in between, and an abort stops it there', async () => {
    await fill(ledger, 3_000)
    await ledger.prune({ deadAfterMs: -1 })
    const before = free()
    const other = await site.open()
    const stop = new AbortController()
    const given = ledger.giveBack({}, stop.signal)
    const ended = expect(given).rejects.toBe('enough')
    // Time stands still, and so does giving back; the lock is free meanwhile.
    await submit(other)
    await time.advance(10)
    await submit(other)
    stop.abort('enough')
    await ended
    expect(before - free()).toBeGreaterThanOrEqual(64)
    expect(before - free()).toBeLessThanOrEqual(64 * 4)
    expect(time.pending).toBe(0)
  })

  it('is returned up to a limit, and an eighth is kept for future writes', async () => {
    await fill(ledger, 3_000)
    await ledger.prune({ deadAfterMs: -1 })
    expect(await time.until(ledger.giveBack({ mostBytes: 500_000 }))).toBe(244 * 2_048)
    await time.until(ledger.giveBack())
    expect(free()).toBe(512)
    await expect(ledger.giveBack({ mostBytes: -1 })).rejects.toMatchObject({ code: 'invalid' })
  })
})
