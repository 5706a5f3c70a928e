import pg from 'pg'
import { expect, it } from 'vitest'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { migrate } from './migrations.ts'
import { openPostgresLedger } from './postgres-ledger.ts'
import { sqlOn } from './sql.ts'

/** The schema version of the last ledger that marked what is held, and had a column of its own for pools. */
const MARKED = 10

it.skipIf(!hasPostgres)(
  hasPostgres
    ? 'operations marked as held by an earlier version are due, with all their providers'
    : WITHOUT_POSTGRES,
  async () => {
    const { url, schema } = testSchema()
    const client = new pg.Client(url.replace(/\?.*/, ''))
    client.on('notice', () => {})
    await client.connect()
    try {
      await client.query('BEGIN')
      await migrate(sqlOn(client), schema, MARKED)
      await client.query(`
        INSERT INTO operations (id, capability, params, provider, providers, rank, state, due_at, since, waiting, mode, held_by,
          created_at, updated_at, source, last_event)
        SELECT nextval('numbers'), capability, '1', provider, providers, 0, 'scheduled', 1, 1, 'first', 'again', held_by, 1, 1,
          'submit', lastval() FROM (VALUES ('a', '', '["p","q"]', 'p'), ('a', 'p', NULL, 'p'),
          ('engine:bullmq/mail', '', NULL, 'engine:bullmq')) AS old(capability, provider, providers, held_by);
        INSERT INTO operation_providers VALUES ('p', 1), ('q', 1), ('p', 2);
        COMMIT`)
      const ledger = await openPostgresLedger({ database: url, connections: 1 })
      const of = async (id: string) => (await ledger.get(id)) as object
      expect(await of('op_1')).toMatchObject({ providers: ['p', 'q'] })
      expect(await of('op_2')).toMatchObject({ providers: ['p'] })
      for (const id of ['op_1', 'op_2']) expect(await of(id)).not.toHaveProperty('heldBy')
      expect(await of('op_3')).toMatchObject({ heldBy: 'engine:bullmq' })
      expect(await ledger.counts()).toMatchObject({ held: 1, due: 2 })
      expect(await ledger.check()).toEqual([])
      await ledger.close()
    } finally {
      await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      await client.end()
    }
  },
)
