import { expect, it } from 'vitest'
import { storeConformance } from '../../test/provider/store.conformance.ts'
import { MemoryStore } from './memory-store.ts'

storeConformance('MemoryStore', () => ({ store: new MemoryStore() }))

it('a memory store is restored from its JSON, including versions of deleted keys', async () => {
  const store = new MemoryStore()
  await store.compareAndSet('block/a', 0, { until: null })
  await store.compareAndSet('gone', 0, 1)
  await store.compareAndSet('gone', 1, undefined)
  await store.add([{ scope: 'fleet', at: 60_000, usd: 1.23, tokens: 5, requests: 1 }])
  const back = new MemoryStore(JSON.parse(JSON.stringify(store)))
  expect(await back.read('block/a')).toEqual({ value: { until: null }, version: 1 })
  expect(await back.compareAndSet('gone', 0, 'stale')).toMatchObject({ written: false })
  expect(await back.spent(['fleet'], 0)).toEqual([
    { scope: 'fleet', at: 60_000, usd: 1.23, tokens: 5, requests: 1 },
  ])
})
