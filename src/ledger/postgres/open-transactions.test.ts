import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { PostgresEngine } from '../../engine/postgres/postgres-engine.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { openPostgresLedger } from './postgres-ledger.ts'

describe.skipIf(!hasPostgres)(
  hasPostgres ? 'a transaction that submitted an operation and stays open' : WITHOUT_POSTGRES,
  () => {
    const { url, schema } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)

    it('is reported once, by name, after a minute', async () => {
      const time = new FakeTime()
      const ledger = await openPostgresLedger({ database: url, time, connections: 2 })
      const engine = new PostgresEngine({ ledger })
      const client = new pg.Client({ connectionString: url.replace(/\?.*/, ''), application_name: 'shop' })
      await client.connect()
      const heard: unknown[] = []
      ledger.onTrouble(trouble => heard.push(trouble))
      try {
        await client.query('BEGIN')
        await client.query(`SELECT ${schema}.submit('a')`)
        await engine.maintain()
        await time.advance(59_000)
        await engine.maintain()
        expect(heard).toEqual([])
        await time.advance(1_000)
        await engine.maintain()
        await time.advance(60_000)
        await engine.maintain()
        expect(heard).toEqual([
          { state: 'held_up', pid: expect.any(Number), by: expect.stringContaining('application shop') },
        ])
        await client.query('COMMIT')
      } finally {
        await client.end()
        await engine.close()
        await ledger.close()
      }
    })
  },
)
