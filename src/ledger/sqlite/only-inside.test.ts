import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLedger, type SqliteLedger } from './sqlite-ledger.ts'
import type { SqliteTransaction } from './sqlite-transaction.ts'

let ledger: SqliteLedger
beforeEach(async () => {
  ledger = await openLedger({ file: ':memory:' })
})
afterEach(() => ledger.close())

const one = [{ capability: 'work', params: {} }]

describe('asynchronous work in a transaction', () => {
  it('is refused with advice, and nothing of it is stored', async () => {
    const work = async (writes: SqliteTransaction) => {
      writes.insert(one)
      await undefined
    }
    await expect(ledger.transaction(work)).rejects.toThrow(/must be synchronous: .* not async/)
    expect((await ledger.counts({})).total).toBe(0)
  })

  it('cannot write after it was refused', async () => {
    let late: Promise<unknown> = Promise.resolve()
    const work = (writes: SqliteTransaction) => {
      late = Promise.resolve().then(() => writes.insert(one))
      return late
    }
    await expect(ledger.transaction(work)).rejects.toThrow('must be synchronous')
    await expect(late).rejects.toThrow('the transaction of this write is already over')
    expect((await ledger.counts({})).total).toBe(0)
  })

  it('fails alone: other writes requested at the same time succeed', async () => {
    const refused = ledger.transaction(async writes => writes.insert(one))
    const written = ledger.transaction(writes => writes.insert(one))
    await expect(refused).rejects.toThrow('must be synchronous')
    expect(await written).toHaveLength(1)
    expect((await ledger.counts({})).total).toBe(1)
  })

  it('leaves no unhandled rejection, even if the ledger is closed meanwhile', async () => {
    const unheard: unknown[] = []
    const hear = (error: unknown) => void unheard.push(error)
    process.on('unhandledRejection', hear)
    let late: Promise<unknown> = Promise.resolve()
    const work = (writes: SqliteTransaction) => {
      late = (async () => {
        await ledger.close()
        writes.insert(one)
      })()
      return late
    }
    await expect(ledger.transaction(work)).rejects.toThrow('must be synchronous')
    await expect(late).rejects.toThrow('is already over')
    await new Promise(resolve => void setImmediate(resolve))
    process.off('unhandledRejection', hear)
    expect(unheard).toEqual([])
  })
})
