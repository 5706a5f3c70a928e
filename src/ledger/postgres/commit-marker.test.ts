import pg, { type PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hasPostgresPrograms,
  type PrivatePostgres,
  startPrivatePostgres,
} from '../../../test/ledger/postgres/private-server.ts'
import { TestProxy } from '../../../test/ledger/postgres/proxy.ts'
import { type CommitMarker, CommitMarkers, isCommitted, MARK } from './commit-marker.ts'
import { openPostgresLedger, type PostgresLedger } from './postgres-ledger.ts'

/** A connection, for what is only counted. */
const ONE = {} as PoolClient

describe('the marker of a transaction', () => {
  it('is a new one each time, in one row per connection', () => {
    const markers = new CommitMarkers()
    const [one, other] = [{}, {}] as [PoolClient, PoolClient]
    const first = markers.next(one)
    expect(markers.next(one)).toEqual({ writer: first.writer, number: first.number + 1 })
    expect(markers.next(other).writer).not.toBe(first.writer)
  })

  it('moves to another row in time, so that no row has too many versions', () => {
    const markers = new CommitMarkers()
    const made = Array.from({ length: 2_500 }, () => markers.next(ONE))
    expect(new Set(made.map(({ writer, number }) => `${writer} ${number}`)).size).toBe(2_500)
    const writes = Map.groupBy(made, ({ writer }) => writer)
    expect([...writes.values()].map(({ length }) => length)).toEqual([1_000, 1_000, 500])
  })
})

describe.skipIf(!hasPostgresPrograms)('a commit whose answer is lost, on a server that crashes', () => {
  let server: PrivatePostgres
  let way: TestProxy
  let ledger: PostgresLedger

  beforeAll(async () => {
    // Nobody but a commit writes the log: otherwise a slow machine stores the id of the transaction that must be lost.
    server = (await startPrivatePostgres(['fsync=off', 'wal_writer_delay=10s'])) as PrivatePostgres
    const address = new URL(server.url)
    way = new TestProxy({ host: address.hostname, port: Number(address.port) })
    address.port = String(await way.listen())
    ledger = await openPostgresLedger({ database: address.toString(), statementMs: 800 })
  })
  afterAll(async () => {
    await ledger.close()
    await way.close()
    await server.stop()
  })

  const connect = async () => {
    const client = new pg.Client(server.url)
    client.on('error', () => {})
    await client.connect()
    await client.query('SET search_path TO mulligan')
    return client
  }
  const begin = async (client: pg.Client, { writer, number }: CommitMarker) => {
    await client.query('BEGIN')
    await client.query(MARK, [writer, number, ledger.database.lockClass])
    const { rows } = await client.query('SELECT pg_current_xact_id()::text AS xid')
    return (rows[0] as { xid: string }).xid
  }
  const committed = (marker: CommitMarker) => ledger.database.change(sql => isCommitted(sql, marker))

  it('is not taken for the commit of another transaction that has the same id', async () => {
    const marker = { writer: 'crashed', number: 1 }
    const xid = await begin(await connect(), marker)
    await server.restart()
    const another = await connect()
    expect(await begin(another, { writer: 'another', number: 1 })).toBe(xid)
    await another.query('COMMIT')
    await another.end()
    expect(await committed(marker)).toBe(false)
    expect(await committed({ writer: 'another', number: 1 })).toBe(true)
  })

  it('is written again if the server never stored it', async () => {
    const direct = await openPostgresLedger({ database: server.url })
    let tries = 0
    const written = ledger.transaction(async writes => {
      const inserted = await writes.insert([{ capability: 'a', params: 'mine' }])
      if (++tries === 1) way.swallow()
      return inserted
    })
    await expect.poll(() => tries).toBe(1)
    await server.restart()
    for (let n = 0; n < 20; n++)
      await direct.transaction(writes => writes.insert([{ capability: 'a', params: n }]))
    way.heal()
    const [inserted] = await written
    expect(tries).toBe(2)
    expect(await direct.get(inserted?.id as string)).toMatchObject({ params: 'mine' })
    await direct.close()
  })

  it('is not decided while its transaction is open', async () => {
    const client = await connect()
    const marker = { writer: 'slow', number: 1 }
    await begin(client, marker)
    expect(await committed(marker)).toBeUndefined()
    await client.query('COMMIT')
    expect(await committed(marker)).toBe(true)
    await begin(client, { ...marker, number: 2 })
    await client.query('ROLLBACK')
    expect(await committed({ ...marker, number: 2 })).toBe(false)
    await client.end()
  })

  it('has a marker until the next day', async () => {
    const marked = async () => {
      const { rows } = await client.query('SELECT writer FROM commits WHERE writer = ANY($1)', [
        ['old', 'recent'],
      ])
      return (rows as { writer: string }[]).map(({ writer }) => writer)
    }
    const client = await connect()
    await client.query(`INSERT INTO commits (writer, number, at)
      VALUES ('old', 1, now() - interval '25 hours'), ('recent', 1, now() - interval '23 hours')`)
    await ledger.prune({})
    expect(await marked()).toEqual(['recent'])
    await client.end()
  })
})
