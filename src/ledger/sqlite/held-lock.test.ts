import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LedgerFolder, type OtherProcess, submit } from '../../../test/ledger/sqlite/ledger-folder.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { realTime, type Time } from '../../time/time.ts'

let site: LedgerFolder
beforeEach(() => {
  site = new LedgerFolder()
})
afterEach(() => site.close())

/** Real time that reports the first wait. */
function watchedTime(): { time: Time; waiting: Promise<void> } {
  let saw = () => {}
  const waiting = new Promise<void>(resolve => {
    saw = resolve
  })
  const time: Time = {
    now: () => realTime.now(),
    monotonic: () => realTime.monotonic(),
    after: (ms, then) => {
      saw()
      return realTime.after(ms, then)
    },
  }
  return { time, waiting }
}

/** Another process that holds the write lock until it is told to release it, but at least this long by its own clock. */
async function lockHolder(leastMs = 0): Promise<OtherProcess> {
  const holder = site.process(`const db = new DatabaseSync(file)
    db.exec('BEGIN IMMEDIATE')
    const start = performance.now()
    tell('held')
    await orders.next()
    const held = () => performance.now() - start
    while (held() < ${leastMs}) await new Promise(resolve => setTimeout(resolve, ${leastMs} - held()))
    db.exec('COMMIT')
    tell(held())
    process.exit()`)
  expect(await holder.heard()).toBe('held')
  return holder
}

describe('a ledger whose write lock another process holds', () => {
  it('waits for seconds without an error and without blocking, and every write happens once', async () => {
    const { time, waiting } = watchedTime()
    const ledger = await site.open({ time })
    await submit(ledger)
    const holder = await lockHolder(3_000)
    let settled = 0
    const writes = Array.from({ length: 300 }, (_, n) =>
      submit(ledger, n).finally(() => {
        settled++
      }),
    )
    const setting = ledger.setSetting('theme', 'dark')
    // A process that starts only now waits as well.
    const late = site.process(`const ledger = await openLedger({ file })
      tell('open')
      await ledger.transaction(writes => writes.insert([{ capability: 'a', params: 'late' }]))
      tell('written')
      await ledger.close()
      process.exit()`)
    expect(await late.heard()).toBe('open')
    await waiting
    // Reads continue meanwhile, on both connections.
    expect(await ledger.get('op_1')).toBeDefined()
    expect((await ledger.counts()).total).toBe(1)
    expect(settled).toBe(0)

    expect(await holder.ask('let go')).toBeGreaterThanOrEqual(3_000)
    const ids = (await Promise.all(writes)).map(([inserted]) => inserted?.id)
    await setting
    expect(await late.heard()).toBe('written')
    expect(await late.ended).toBe(0)
    expect(new Set(ids).size).toBe(300)
    expect((await ledger.counts()).total).toBe(302)
    const stored = (await ledger.list({}, { limit: 1_000 })).items.map(({ params }) => params)
    expect(new Set(stored).size).toBe(302)
    expect(await ledger.lastEvent()).toBe(302)
    expect(await ledger.setting('theme')).toBe('dark')
    expect(await ledger.check()).toEqual([])
  })

  it('waits until the process that holds the lock is killed, and sees none of its unfinished writes', async () => {
    const { time, waiting } = watchedTime()
    const ledger = await site.open({ time })
    const holder = site.process(`const db = new DatabaseSync(file)
      db.exec("BEGIN IMMEDIATE; INSERT INTO settings VALUES ('half', '1')")
      tell('held')
      await orders.next()`)
    await holder.heard()
    const written = submit(ledger)
    await waiting
    holder.child.kill('SIGKILL')
    await written
    expect(await ledger.setting('half')).toBeUndefined()
    expect((await ledger.counts()).total).toBe(1)
  })

  it('gives up after its time limit, names the likely cause, and works again once the lock is released', async () => {
    const ledger = await site.open({ lockWaitMs: 100 })
    const holder = await lockHolder()
    await expect(submit(ledger)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('another process holds the write lock'),
    })
    expect(await ledger.lastEvent()).toBe(0)
    await holder.ask('let go')
    await submit(ledger)
    expect((await ledger.counts()).total).toBe(1)
  })

  it('gives up once for all writes made at the same time', async () => {
    const time = new FakeTime()
    const ledger = await site.open({ lockWaitMs: 100, time })
    const holder = await lockHolder()
    const written = Promise.allSettled(Array.from({ length: 20 }, () => submit(ledger)))
    await time.advance(150)
    const results = await Promise.race([written, Promise.resolve('still waiting')])
    await holder.ask('let go')
    expect(results).toMatchObject(Array.from({ length: 20 }, () => ({ reason: { code: 'locked' } })))
  })
})
