import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SqliteLedger } from '../ledger/sqlite/sqlite-ledger.ts'
import type { SqliteTransaction } from '../ledger/sqlite/sqlite-transaction.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { OperationWaiters } from './operation-waiters.ts'

describe('a caller that waits for an operation', () => {
  const time = new FakeTime()
  let ledger: SqliteLedger
  let waiters: OperationWaiters
  beforeEach(async () => {
    ledger = await memoryLedger({ time })
    waiters = new OperationWaiters(ledger, time)
    await ledger.transaction(writes => writes.insert([1, 2].map(params => ({ capability: 'a', params }))))
  })
  afterEach(async () => {
    waiters.close()
    await ledger.close()
  })

  it('learns that it ended and was deleted before the reader looked', async () => {
    for (const [id, forget] of [
      ['op_1', (writes: SqliteTransaction) => writes.discard('op_1')],
      ['op_2', (writes: SqliteTransaction) => writes.prune([2])],
    ] as const) {
      const waited = expect(waiters.wait(id)).rejects.toMatchObject({ code: 'missing' })
      await time.advance(0)
      await ledger.transaction(writes => {
        writes.cancel(id, 'enough')
        forget(writes)
      })
      await waited
    }
  })
})
