import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { storeConformance } from '../../../test/provider/store.conformance.ts'
import type { ProviderStore } from '../../provider/store.ts'
import { openLedger, type SqliteLedger } from './sqlite-ledger.ts'

storeConformance('The ledger', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mulligan-store-'))
  const ledger = await openLedger({ file: join(folder, 'ledger.db') })
  return {
    store: ledger.providers,
    close: async () => {
      await ledger.close()
      rmSync(folder, { recursive: true })
    },
  }
})

describe('provider state in the ledger', () => {
  let folder: string
  let ledgers: SqliteLedger[]
  let here: ProviderStore
  let there: ProviderStore

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mulligan-store-'))
    const file = join(folder, 'ledger.db')
    ledgers = [await openLedger({ file }), await openLedger({ file })]
    ;[here, there] = ledgers.map(({ providers }) => providers as ProviderStore) as [
      ProviderStore,
      ProviderStore,
    ]
  })
  afterEach(async () => {
    for (const ledger of ledgers) await ledger.close()
    rmSync(folder, { recursive: true })
  })

  it('is shared by all processes: if two change it at once, one wins and the other learns that it lost', async () => {
    const changes = await Promise.all([
      here.compareAndSet('breaker/a', 0, { open: true }),
      there.compareAndSet('breaker/a', 0, { open: false }),
    ])
    expect(changes.filter(({ written }) => written)).toHaveLength(1)
    expect(await here.read('breaker/a')).toEqual(await there.read('breaker/a'))
  })

  it('tells another process which cells changed', async () => {
    const heard = new Promise<readonly string[] | undefined>(resolve => void there.onChange(resolve))
    await here.compareAndSet('block/a', 0, 1)
    expect(await heard).toEqual(['block/a'])
  })

  it('does not notify about unrelated writes', async () => {
    const heard: unknown[] = []
    here.onChange(keys => heard.push(keys))
    await ledgers[0]?.setSetting('a', 1)
    await here.compareAndSet('block/a', 0, 1)
    await here.add([{ scope: 'a', at: 0, usd: 1, tokens: 2, requests: 3 }])
    expect(heard).toEqual([['block/a']])
  })

  it('never reuses a version, even after a cell was deleted', async () => {
    await here.compareAndSet('k', 0, 1)
    await there.compareAndSet('k', 1, undefined)
    expect((await here.list('')).size).toBe(0)
    expect(await here.read('k')).toEqual({ value: undefined, version: 2 })
    expect(await here.compareAndSet('k', 1, 'stale')).toMatchObject({ written: false })
    expect(await here.compareAndSet('k', 2, 'new')).toEqual({ written: true, version: 3 })
  })

  it('adds up the spending of all processes', async () => {
    const spend = { scope: 'quota/a', at: 60_000, usd: 0.5, tokens: 10, requests: 1 }
    await Promise.all([here.add([spend]), there.add([spend, spend]), here.add([spend])])
    expect(await there.spent(['quota/a'], 0)).toEqual([{ ...spend, usd: 2, tokens: 40, requests: 4 }])
    await here.forget(60_001)
    expect(await there.spent(['quota/a'], 0)).toEqual([])
  })
})
