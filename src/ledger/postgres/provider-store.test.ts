import { describe, it } from 'vitest'
import { storeConformance } from '../../provider/store.conformance.ts'
import { openPostgresLedger } from './postgres-ledger.ts'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from './test-schema.ts'

if (hasPostgres) {
  const { url, empty } = testSchema()
  storeConformance('The ledger on PostgreSQL', async () => {
    const ledger = await openPostgresLedger({ database: url, connections: 3 })
    await empty()
    return { store: ledger.providers, close: () => ledger.close() }
  })
} else describe.skip(WITHOUT_POSTGRES, () => it('is tested elsewhere', () => {}))
