import { describe, it } from 'vitest'
import { ledgerConformance } from '../../../test/ledger/conformance/ledger-conformance.ts'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { openPostgresLedger } from './postgres-ledger.ts'

if (hasPostgres) {
  const { url, empty } = testSchema()
  ledgerConformance('PostgreSQL', async () => {
    const time = new FakeTime()
    const [ledger, other] = [
      await openPostgresLedger({ database: url, time, connections: 3 }),
      await openPostgresLedger({ database: url, time, connections: 3 }),
    ]
    await empty()
    return {
      ledger,
      other,
      time,
      hasFile: false,
      close: async () => {
        await ledger.close()
        await other.close()
      },
    }
  })
} else describe.skip(WITHOUT_POSTGRES, () => it('is tested elsewhere', () => {}))
