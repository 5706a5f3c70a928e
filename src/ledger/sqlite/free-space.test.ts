import { statSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeTime } from '../../testing/fake-time.ts'
import type { SqliteLedger } from './sqlite-ledger.ts'
import { fill, LedgerFolder, submit } from './test-ledger-folder.ts'

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
/** Everything that was written is in the file itself. */
const reopen = async () => {
  await ledger.close()
  ledger = await site.open({ time })
}

describe('room that forgotten operations leave', () => {
  it('is given back to the disk, without a rewrite, and what is left is whole', async () => {
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

  it('is given back in small steps: others write between two of them, and a stop ends it there', async () => {
    await fill(ledger, 3_000)
    await ledger.prune({ deadAfterMs: -1 })
    const before = free()
    const other = await site.open()
    const stop = new AbortController()
    const given = ledger.giveBack({}, stop.signal)
    const ended = expect(given).rejects.toBe('enough')
    // The clock stands still, and so does the giving back; the lock is free meanwhile.
    await submit(other)
    await time.advance(10)
    await submit(other)
    stop.abort('enough')
    await ended
    expect(before - free()).toBeGreaterThanOrEqual(64)
    expect(before - free()).toBeLessThanOrEqual(64 * 4)
    expect(time.pending).toBe(0)
  })

  it('is given back up to a bound, and an eighth is kept for what comes next', async () => {
    await fill(ledger, 3_000)
    await ledger.prune({ deadAfterMs: -1 })
    expect(await time.until(ledger.giveBack({ mostBytes: 500_000 }))).toBe(244 * 2_048)
    await time.until(ledger.giveBack())
    expect(free()).toBe(512)
    await expect(ledger.giveBack({ mostBytes: -1 })).rejects.toMatchObject({ code: 'invalid' })
  })
})
