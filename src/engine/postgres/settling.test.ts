import { describe, expect, it } from 'vitest'
import { LedgerError } from '../../ledger/error.ts'
import type { PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import { Settling } from './settling.ts'

describe('ends of runs written together', () => {
  const settleThree = async (error: Error) => {
    let tries = 0
    const transaction = () => {
      tries++
      return Promise.reject(error)
    }
    const settling = new Settling({ transaction } as unknown as PostgresLedger)
    const settled = await Promise.allSettled(
      [1, 2, 3].map(run => settling.settle({ id: 'op_1', run }, { succeeded: true })),
    )
    return { tries, states: settled.map(({ status }) => status) }
  }
  const states = ['rejected', 'rejected', 'rejected']

  it('are tried once if the server is unreachable: each alone would wait as long', async () => {
    expect(await settleThree(new LedgerError('unreachable', 'away'))).toEqual({ tries: 1, states })
  })

  it('are tried one by one if one of them is at fault', async () => {
    expect(await settleThree(new LedgerError('io', 'invalid byte'))).toEqual({ tries: 4, states })
  })
})
