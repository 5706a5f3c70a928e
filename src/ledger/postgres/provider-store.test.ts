import { describe, it } from 'vitest'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { storeConformance } from '../../../test/provider/store.conformance.ts'
import { openPostgresLedger } from './postgres-ledger.ts'

if (hasPostgres) {
  const { url, empty } = testSchema()
  storeConformance('The ledger on PostgreSQL', async () => {
    const ledger = await openPostgresLedger({ database: url, connections: 3 })
    await empty()
    return { store: ledger.providers, close: () => ledger.close() }
  })
} else describe.skip(WITHOUT_POSTGRES, () => it('is tested elsewhere', () => {}))
