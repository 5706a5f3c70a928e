import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { Listing } from './listing.ts'
import { openPostgresLedger, type PostgresLedger } from './postgres-ledger.ts'
import { Reads } from './reads.ts'
import type { Sql } from './sql.ts'

describe.skipIf(!hasPostgres)(hasPostgres ? 'a ledger on PostgreSQL' : WITHOUT_POSTGRES, () => {
  const { url, schema, empty } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)
  const withLedger = async (work: (ledger: PostgresLedger) => Promise<void>, database = url) => {
    const ledger = await openPostgresLedger({ database, connections: 4 })
    try {
      await empty()
      await work(ledger)
    } finally {
      await ledger.close()
    }
  }
  const tell = (ledger: PostgresLedger) =>
    ledger.transaction(writes => writes.tell('paused', { queue: true }))

  it('returns no event before those with lower numbers, however long their transactions take', () =>
    withLedger(async ledger => {
      const first = await tell(ledger)
      let commit = () => {}
      const held = new Promise<void>(resolve => {
        commit = resolve
      })
      let written = () => {}
      const isWritten = new Promise<void>(resolve => {
        written = resolve
      })
      const slow = ledger.transaction(async writes => {
        const event = await writes.tell('resumed', { queue: true })
        written()
        await held
        return event
      })
      await isWritten
      const quick = await tell(ledger)
      expect((await ledger.events()).map(({ id }) => id)).toEqual([first])
      expect(await ledger.lastEvent()).toBe(first)
      commit()
      const late = await slow
      expect((await ledger.events()).map(({ id }) => id)).toEqual([first, late, quick])
      expect(late).toBeLessThan(quick)
    }))

  it('never withdraws an event, even if a transaction locks later than it read its number', () =>
    withLedger(async ledger => {
      const ids = [await tell(ledger), await tell(ledger), await tell(ledger)]
      expect(await ledger.lastEvent()).toBe(ids.at(-1))
      const { lockClass } = ledger.database
      await ledger.database.transaction(async sql => {
        await sql.run('SELECT pg_advisory_xact_lock_shared($1::int, $2::int)', [lockClass, ids[0]])
        expect((await ledger.events()).map(({ id }) => id)).toEqual(ids)
        expect(await ledger.lastEvent()).toBe(ids.at(-1))
      })
    }))

  it('shows readers every event while many write at once', () =>
    withLedger(async ledger => {
      const seen: number[] = []
      let isWriting = true
      const reading = (async () => {
        while (isWriting || seen.length < 300) {
          const events = await ledger.events({ after: seen.at(-1) ?? 0, limit: 50 })
          seen.push(...events.map(({ id }) => id))
        }
      })()
      await Promise.all(
        Array.from({ length: 3 }, async () => {
          for (let n = 0; n < 50; n++)
            await ledger.transaction(async writes => {
              await writes.tell('paused', { n })
              await writes.tell('resumed', { n })
            })
        }),
      )
      isWriting = false
      await reading
      expect(seen).toHaveLength(300)
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    }))

  it('works for a role that may only write rows', () =>
    withLedger(async owner => {
      const role = `${schema}_worker`
      await owner.database.transaction(sql =>
        sql.exec(`CREATE ROLE ${role} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${role};
          GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};
          GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`),
      )
      const as = new URL(url)
      as.username = role
      try {
        await withLedger(async worker => {
          await tell(worker)
          await worker.advertise({ id: 'r1', capabilities: ['a'] })
          expect(await worker.check()).toEqual([])
        }, as.toString())
        as.searchParams.set('schema', `${schema}_2`)
        await expect(openPostgresLedger({ database: as.toString() })).rejects.toMatchObject({
          code: 'read_only',
          message: expect.stringMatching(/let its owner run/),
        })
      } finally {
        await owner.database.transaction(sql => sql.exec(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
      }
    }))

  it('stores nothing if a statement that was not awaited fails', () =>
    withLedger(async ledger => {
      const broken = ledger.transaction(async writes => {
        await writes.insert([{ capability: 'a', params: 1 }])
        writes.sql.send('SELECT 1 / (0 * $1::int)', [1])
      })
      await expect(broken).rejects.toThrow('division by zero')
      const refused = ledger.transaction(async writes => {
        writes.sql.send('SELECT 1 / (0 * $1::int)', [1])
        await writes.insert([{ capability: 'a', params: 1 }])
      })
      await expect(refused).rejects.toThrow()
      expect((await ledger.counts()).total).toBe(0)
    }))

  it('writes inside a transaction of the caller, who commits it or not', () =>
    withLedger(async ledger => {
      const client = new pg.Client(url.replace(/\?.*/, ''))
      await client.connect()
      try {
        for (const end of ['ROLLBACK', 'COMMIT']) {
          await client.query('BEGIN')
          await client.query('SET LOCAL search_path TO pg_catalog')
          await ledger.within(client, writes => writes.insert([{ capability: 'a', params: 1 }]))
          const { rows } = await client.query("SELECT current_setting('search_path') AS path")
          expect(rows).toEqual([{ path: 'pg_catalog' }])
          await client.query(end)
          expect((await ledger.counts()).total).toBe(end === 'COMMIT' ? 1 : 0)
        }
      } finally {
        await client.end()
      }
    }))

  it('is created once if many processes open it at the same time', async () => {
    const database = new URL(url)
    database.searchParams.set('schema', `${schema}_3`)
    const ledgers = await Promise.all(
      Array.from({ length: 4 }, () => openPostgresLedger({ database: database.toString(), connections: 1 })),
    )
    await ledgers[0]?.database.transaction(sql => sql.exec(`DROP SCHEMA ${schema}_3 CASCADE`))
    await Promise.all(ledgers.map(ledger => ledger.close()))
  })

  it('refuses a schema with foreign tables, and a newer one', async () => {
    const database = new URL(url)
    const other = `${schema}_4`
    database.searchParams.set('schema', other)
    await withLedger(async ledger => {
      const exec = (text: string) => ledger.database.transaction(sql => sql.exec(text))
      await exec(`CREATE SCHEMA ${other}; CREATE TABLE ${other}.books (title text)`)
      const open = () => openPostgresLedger({ database: database.toString() })
      await expect(open()).rejects.toMatchObject({
        code: 'not_a_ledger',
        message: expect.stringContaining('books'),
      })
      await exec(`CREATE TABLE ${other}.ledger_version AS SELECT 999 AS version`)
      await expect(open()).rejects.toMatchObject({ code: 'newer' })
      await exec(`DROP SCHEMA ${other} CASCADE`)
    })
  })

  it('reports a missing database, even when it only reads', async () => {
    const database = new URL(url)
    database.pathname = '/mulligan_is_not_there'
    await expect(openPostgresLedger({ database: database.toString(), create: false })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('there is no such database: create it first'),
    })
  })

  it('takes its time from the server', () =>
    withLedger(async ledger => {
      const row = await ledger.read(sql =>
        sql.row<{ ms: number }>('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms'),
      )
      expect(Math.abs(ledger.time.now() - (row?.ms ?? 0))).toBeLessThan(1_000)
    }))

  it.each([
    [
      'events that are not of successes',
      'events_other',
      (sql: Sql) => new Reads(sql).events({ types: ['parked'] }, 9),
    ],
    [
      'parked operations',
      'operations_parked',
      (sql: Sql) => new Listing(sql).page({ state: 'parked' }, {}, 0),
    ],
  ])('finds %s by their index, however many others there are', (_what, index, ask) =>
    withLedger(async ledger => {
      let asked = ''
      const values: string[] = []
      const rows = (text: string, given: readonly unknown[]) => {
        asked ||= text
        values.push(...given.map(() => 'NULL'))
        return Promise.resolve([])
      }
      await ask({ rows, row: async () => undefined } as unknown as Sql)
      const plan = await ledger.database.transaction(async sql => {
        await sql.exec(`INSERT INTO events (id, at, type, operation) SELECT n, n, 'succeeded', n FROM generate_series(1, 1000) n;
          INSERT INTO operations (id, capability, params, provider, rank, state, due_at, since, waiting, mode, created_at, updated_at,
            source, last_event) SELECT n, 'c', '{}', '', 0, 'succeeded', n, n, 'first', 'again', n, n, 's', n FROM generate_series(1, 1000) n;
          ANALYZE events; ANALYZE operations; SET LOCAL plan_cache_mode = force_generic_plan; PREPARE asked AS ${asked}`)
        const lines = await sql.exec(`EXPLAIN EXECUTE asked (${values.join(', ')})`)
        await sql.exec('DEALLOCATE asked')
        return lines.map(line => Object.values(line as object)[0]).join('\n')
      })
      expect(plan).toContain(index)
    }),
  )
})
