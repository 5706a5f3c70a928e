import { afterEach, beforeEach, expect, it } from 'vitest'
import { memoryLedger } from '../../testing/memory-ledger.ts'
import { isQuickToCount } from './counting-by-index.ts'
import { isNoneParked, Reads } from './reads.ts'
import type { SqliteLedger } from './sqlite-ledger.ts'

let ledger: SqliteLedger
beforeEach(async () => {
  ledger = await memoryLedger()
  await ledger.transaction(writes => writes.insert([{ capability: 'a', params: null }]))
  // As if there had been a hundred thousand since.
  await ledger.transaction(writes => {
    writes.db.exec('UPDATE operations SET id = id - 100000')
    writes.insert([{ capability: 'a', params: null }])
  })
})
afterEach(() => ledger.close())

it('a large ledger is counted in another thread, except by a process that counts rarely', () => {
  const isQuick = (isRare: boolean) => ledger.read(db => isQuickToCount(db, {}, isRare))
  expect([isQuick(true), isQuick(false)]).toEqual([true, false])
})

it('a search for events of a type among very many is made in another thread, and what is new is read at once', () => {
  const { isLong, last } = ledger.read(db => {
    const reads = new Reads(db)
    return {
      isLong: (after: number) => reads.isLongSearch({ after, types: ['paused'] }),
      last: reads.lastEvent(),
    }
  })
  expect(isLong(last - 100)).toBe(false)
  expect(isLong(last - 30_000)).toBe(true)
})

it('a list of what waits for a person is read in another thread only if anything does', async () => {
  const isNone = () =>
    ledger.read(db =>
      ([{ parkedFor: 'label' }, { parkedFor: 'login' }, { state: 'parked' }] as const).map(filter =>
        isNoneParked(db, filter),
      ),
    )
  expect(isNone()).toEqual([true, true, true])
  expect(ledger.read(db => isNoneParked(db, { capability: 'none' }))).toBe(false)
  expect(await ledger.list({ parkedFor: 'label' })).toEqual({ items: [] })
  await expect(ledger.list({ parkedFor: 'label' }, { limit: 0 })).rejects.toThrow('limit must be')
  await ledger.transaction(writes => writes.db.exec("UPDATE operations SET parked_for = 'label'"))
  expect(isNone()).toEqual([false, true, false])
})
