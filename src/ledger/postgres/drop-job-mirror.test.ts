import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { MIRROR_KEPT_SECONDS } from './drop-job-mirror.ts'
import { migrate } from './migrations.ts'
import { openPostgresLedger } from './postgres-ledger.ts'
import { sqlOn } from './sql.ts'

/** The schema version of the last ledger that had such jobs. */
const MIRRORED = 3

describe.skipIf(!hasPostgres)(hasPostgres ? 'jobs that an earlier version kept' : WITHOUT_POSTGRES, () => {
  const { url, schema } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)
  const jobs = `${schema}_jobs`
  const MIRRORED_QUEUE = { retryLimit: 0, retentionSeconds: MIRROR_KEPT_SECONDS }
  /** As the earlier version sent it. */
  const mirrored = { id: '00000000-0000-0007-8000-000000000001', data: { operation: 'op_7', run: 1 } }

  let client: pg.Client

  /** Opens a ledger of the earlier version, with these jobs beside it. Returns whether they are still there. */
  const upgraded = async (fill: (boss: PgBoss) => Promise<unknown>, more = '') => {
    const boss = new PgBoss({
      connectionString: url,
      schema: jobs,
      supervise: false,
      schedule: false,
      max: 1,
    })
    boss.on('error', () => {})
    await boss.start()
    await fill(boss)
    await boss.stop({ graceful: false })
    await client.query('BEGIN')
    await migrate(sqlOn(client), schema, MIRRORED)
    await client.query(`${more}; COMMIT`)
    await (await openPostgresLedger({ database: url, connections: 1 })).close()
    const { rows } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [jobs])
    return rows.length > 0
  }

  const without = () =>
    client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${jobs} CASCADE`)
  beforeAll(async () => {
    client = new pg.Client(url.replace(/\?.*/, ''))
    client.on('notice', () => {})
    await client.connect()
  })
  beforeEach(without)
  afterAll(async () => {
    await without()
    await client.end()
  })

  it('are dropped with their schema', async () => {
    const isLeft = await upgraded(async boss => {
      await boss.createQueue('work', MIRRORED_QUEUE)
      await boss.insert('work', [mirrored])
    })
    expect(isLeft).toBe(false)
  })

  it.each<[string, (boss: PgBoss) => Promise<unknown>, string?]>([
    ['has a queue of another program', boss => boss.createQueue('mail')],
    [
      'has a job of another program',
      async boss => {
        await boss.createQueue('work', MIRRORED_QUEUE)
        await boss.insert('work', [mirrored])
        await boss.send('work', { operation: 'op_8', run: 1 })
      },
    ],
    [
      'has a schedule',
      async boss => {
        await boss.createQueue('work', MIRRORED_QUEUE)
        await boss.schedule('work', '0 0 1 1 *')
      },
    ],
    [
      'has another table',
      boss => boss.createQueue('work', MIRRORED_QUEUE),
      `CREATE TABLE ${jobs}.books (title text)`,
    ],
    [
      'is read by a view',
      boss => boss.createQueue('work', MIRRORED_QUEUE),
      `CREATE VIEW waiting AS SELECT name FROM ${jobs}.job`,
    ],
    ['proves nothing, because it is empty', async () => {}],
  ])('are left alone if their schema %s', async (_what, fill, more) => {
    expect(await upgraded(fill, more)).toBe(true)
  })
})
