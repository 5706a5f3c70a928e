import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { call } from '../call/call.ts'
import { memoryLedger } from '../testing/memory-ledger.ts'
import { CallUnknowns } from './call-unknowns.ts'
import type { SqliteLedger } from './sqlite/sqlite-ledger.ts'

describe('calls with a ledger', () => {
  let ledger: SqliteLedger
  beforeEach(async () => {
    ledger = await memoryLedger()
  })
  afterEach(() => ledger.close())

  const failing = async (message: string, unknowns: CallUnknowns) => {
    const work = () => {
      throw new Error(message)
    }
    await call(work, { provider: 'p', maxRetries: 0, onEvent: unknowns.onEvent }).catch(() => {})
    await unknowns.written()
  }

  it('record only the unknown failure that ended them', async () => {
    const unknowns = new CallUnknowns({ ledger })
    await failing('the flux capacitor is out of phase', unknowns)
    await failing('the flux capacitor is out of phase', unknowns)
    await failing('connect ECONNREFUSED 127.0.0.1:443', unknowns)
    const { items } = await ledger.unknowns()
    expect(items).toMatchObject([{ provider: 'p', count: 2, outcomes: { ended: 2, failover: 0, parked: 0 } }])
    expect(items[0]?.samples[0]?.failure.message).toContain('flux capacitor')
  })

  it('record the unknown failure after which they failed over', async () => {
    const unknowns = new CallUnknowns({ ledger })
    const work = ({ provider }: { provider?: string | undefined }) => {
      if (provider === 'p') throw new Error('the flux capacitor is out of phase')
      return 'done'
    }
    await call(work, { pool: ['p', 'q'], onEvent: unknowns.onEvent })
    await unknowns.written()
    const { items } = await ledger.unknowns()
    expect(items).toMatchObject([{ provider: 'p', outcomes: { ended: 0, failover: 1 } }])
  })

  it('record nothing without a ledger, and are unaffected if the ledger cannot be written', async () => {
    await failing('out of phase', new CallUnknowns({ ledger: undefined }))
    expect((await ledger.unknowns()).items).toEqual([])
    const problems: unknown[] = []
    const broken = { transaction: () => Promise.reject(new Error('disk full')) }
    await failing(
      'out of phase',
      new CallUnknowns({ ledger: broken, onError: error => problems.push(error) }),
    )
    expect(problems).toMatchObject([{ message: 'disk full' }])
  })
})
