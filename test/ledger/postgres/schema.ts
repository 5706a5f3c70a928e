import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll } from 'vitest'
import { listens, type PrivatePostgres, startPrivatePostgres } from './private-server.ts'

const USUAL = 'postgres://postgres@127.0.0.1:5432/postgres'

/** A schema for the tests of one file. */
export interface TestSchema {
  /** Its address. Commits do not wait for the disk: these tests are not about power cuts. */
  url: string
  schema: string
  /** Empties it, as if it had just been created. */
  empty(): Promise<void>
}

/** The PostgreSQL of `DATABASE_URL`, else the one on this machine, else a private one; undefined if there is none. */
async function findServer(): Promise<{ url: string; own?: PrivatePostgres } | undefined> {
  const given = process.env.DATABASE_URL
  if (given !== undefined && given !== '') return { url: given }
  if (await listens(5432)) return { url: USUAL }
  const own = await startPrivatePostgres(['fsync=off'])
  return own && { url: own.url, own }
}

const server = await findServer()

/** Whether there is a PostgreSQL to test with; on a build server there must be. */
export const hasPostgres = server !== undefined || process.env.CI === 'true'

/** Name of skipped tests. */
export const WITHOUT_POSTGRES = 'no PostgreSQL: set DATABASE_URL, or install the server'

/** A separate schema for the tests of one file, dropped afterwards. */
export function testSchema(): TestSchema {
  if (!server) throw new Error(WITHOUT_POSTGRES)
  const schema = `test_${randomBytes(6).toString('hex')}`
  const address = new URL(server.url)
  address.searchParams.set('options', '-c synchronous_commit=off')
  address.searchParams.set('schema', schema)
  const alone = async (text: string) => {
    const client = new pg.Client(server.url)
    await client.connect()
    try {
      return await client.query(text)
    } finally {
      await client.end()
    }
  }
  let emptying: pg.Client | undefined
  afterAll(async () => {
    await emptying?.end()
    await alone(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await server.own?.stop()
  })
  return {
    url: address.toString(),
    schema,
    empty: async () => {
      if (!emptying) {
        emptying = new pg.Client(server.url)
        await emptying.connect()
      }
      await emptying.query(EMPTY(schema))
    },
  }
}

/** Deletes rows, because truncating takes longer for a few rows, and restarts the sequences. */
const EMPTY = (schema: string) => `DO $$ DECLARE each record; BEGIN
  FOR each IN SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
    WHERE schemaname = '${schema}' AND tablename <> 'ledger_version'
  LOOP EXECUTE 'DELETE FROM ' || each.name; END LOOP;
  FOR each IN SELECT format('%I.%I', schemaname, sequencename) AS name FROM pg_sequences WHERE schemaname = '${schema}'
  LOOP EXECUTE 'ALTER SEQUENCE ' || each.name || ' RESTART'; END LOOP; END $$`
