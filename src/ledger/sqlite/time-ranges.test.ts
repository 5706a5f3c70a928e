import { expect, it } from 'vitest'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { memoryLedger } from '../../testing/memory-ledger.ts'

it('finds operations by creation time, no matter how often the clock went back', async () => {
  const time = new FakeTime()
  const begin = time.now()
  const ledger = await memoryLedger({ time })
  await ledger.transaction(writes => {
    for (let i = 0; i < 1_200; i++)
      for (const ms of [2, -1]) {
        time.jump(ms)
        writes.insert([{ capability: 'a', params: time.now() - begin }])
      }
  })
  // Created at 2, 1, 3, 2, 4, 3 … milliseconds.
  expect((await ledger.counts({ createdFrom: begin + 2 })).total).toBe(2_399)
  expect((await ledger.counts({ createdBefore: begin + 1_200, state: 'scheduled' })).total).toBe(2_397)
  const { items } = await ledger.list({ createdFrom: begin + 700, createdBefore: begin + 702 })
  expect(items.map(({ params }) => params)).toEqual([701, 700, 701, 700])
  await ledger.close()
})
