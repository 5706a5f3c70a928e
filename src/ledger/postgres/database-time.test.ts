import { describe, expect, it, vi } from 'vitest'
import { RETRY } from '../../../test/ledger/conformance/samples.ts'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { PostgresEngine } from '../../engine/postgres/postgres-engine.ts'
import { openPostgresLedger } from './postgres-ledger.ts'

describe.skipIf(!hasPostgres)(hasPostgres ? 'the clock of the server' : WITHOUT_POSTGRES, () => {
  const { url } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)
  const HOURS_8 = 8 * 3_600_000

  it('is read again by a host that slept, before it moves what others scheduled', async () => {
    const ledger = await openPostgresLedger({ database: url, connections: 3 })
    const engine = new PostgresEngine({ ledger })
    await engine.maintain()
    const [inserted] = await engine.schedule([{ capability: 'a', params: 1 }])
    const id = inserted?.id as string
    const { runs } = await engine.claim({ runner: 'r', capabilities: ['a'], limit: 1 })
    await engine.settle(runs[0]?.fence ?? { id, run: 1 }, {
      verdict: { ...RETRY, delayMs: 20 * 3_600_000 } as never,
    })
    const before = await ledger.get(id)
    // The monotonic clock stops while a machine sleeps, so afterwards it lags.
    const real = performance.now.bind(performance)
    const slept = vi.spyOn(performance, 'now').mockImplementation(() => real() - HOURS_8)
    try {
      expect(await engine.maintain()).toMatchObject({ repaired: 0 })
      expect(Math.abs(ledger.time.now() - Date.now())).toBeLessThan(60_000)
    } finally {
      slept.mockRestore()
    }
    expect(await ledger.get(id)).toEqual(before)
    await engine.close()
    await ledger.close()
  })
})
