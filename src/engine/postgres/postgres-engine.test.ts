import { describe, it } from 'vitest'
import { engineConformance } from '../../../test/engine/conformance/engine-conformance.ts'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { openPostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { PostgresEngine } from './postgres-engine.ts'

if (hasPostgres) {
  const { url, empty } = testSchema()
  engineConformance('on PostgreSQL', async () => {
    const time = new FakeTime()
    const open = async () => {
      const ledger = await openPostgresLedger({ database: url, time, connections: 3 })
      const engine = new PostgresEngine({ ledger })
      return { ledger, engine }
    }
    const [mine, other] = [await open(), await open()]
    await empty()
    return {
      ...mine,
      other,
      time,
      answered: () => mine.ledger.database.answered(),
      close: async () => {
        for (const { ledger, engine } of [mine, other]) {
          await engine.close()
          await ledger.close()
        }
      },
    }
  })
} else describe.skip(WITHOUT_POSTGRES, () => it('is tested elsewhere', () => {}))
