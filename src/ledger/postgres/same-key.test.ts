import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitedFor } from '../../../test/ledger/postgres/lock.ts'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { openPostgresLedger, type PostgresLedger } from './postgres-ledger.ts'

/** Two submitters use the same key at once, and one waits for the other's commit. */
describe.skipIf(!hasPostgres)(hasPostgres ? 'a key submitted twice at once' : WITHOUT_POSTGRES, () => {
  const { url, schema, empty } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)
  const OPERATION = { capability: 'c', params: { n: 1 }, key: 'k', keyRetentionMs: 1_000 }
  let ledger: PostgresLedger
  let client: pg.Client

  beforeEach(async () => {
    ledger = await openPostgresLedger({ database: url, connections: 3 })
    await empty()
    client = new pg.Client(url.replace(/\?.*/, ''))
    await client.connect()
  })
  afterEach(async () => {
    await client.end()
    await ledger.close()
  })

  const insert = async () => {
    const [inserted] = await ledger.transaction(writes => writes.insert([OPERATION]))
    return inserted?.id as string
  }
  const operations = async () =>
    (await ledger.list()).items.filter(({ state }) => state === 'scheduled').map(({ id }) => id)

  /** Inserts, starts the other, and commits once the other waits for it. */
  const insertBefore = async <T>(other: () => Promise<T>): Promise<[string, T]> => {
    let begin: (pid: number) => void = () => {}
    const began = new Promise<number>(resolve => {
      begin = resolve
    })
    let commit = () => {}
    const held = new Promise<void>(resolve => {
      commit = resolve
    })
    const first = ledger.transaction(async writes => {
      const [inserted] = await writes.insert([OPERATION])
      begin((await writes.sql.row<{ pid: number }>('SELECT pg_backend_pid() AS pid'))?.pid ?? 0)
      await held
      return inserted?.id as string
    })
    const pid = await began
    const second = other()
    const watcher = new pg.Client(url.replace(/\?.*/, ''))
    await watcher.connect()
    await waitedFor(watcher, pid, 1, second).finally(() => watcher.end())
    commit()
    return [await first, await second]
  }
  const expireKey = async () => {
    const id = await insert()
    await ledger.database.transaction(sql =>
      sql.run("UPDATE operations SET state = 'dead', dead_as = 'cancelled', ended_at = 1 WHERE id = $1", [
        Number(id.slice(3)),
      ]),
    )
  }
  const submitInSql = async () =>
    (await client.query(`SELECT ${schema}.submit('c', '{"n":1}', key => 'k') AS id`)).rows[0].id as string

  it.each(['new', 'used again after its retention'])('is one operation if it is %s', async how => {
    if (how !== 'new') await expireKey()
    const [first, second] = await insertBefore(insert)
    expect(second).toBe(first)
    expect(await operations()).toEqual([first])
  })

  it.each(['new', 'used again after its retention'])(
    'is one operation if it is %s and the second comes from SQL',
    async how => {
      if (how !== 'new') await expireKey()
      const [first, second] = await insertBefore(submitInSql)
      expect(second).toBe(first)
      expect(await operations()).toEqual([first])
    },
  )

  it('is one operation if the second is part of a transaction of the caller', async () => {
    await client.query('BEGIN')
    const [first, second] = await insertBefore(() =>
      ledger.within(client, async writes => (await writes.insert([OPERATION]))[0]?.id),
    )
    await client.query('COMMIT')
    expect(second).toBe(first)
    expect(await operations()).toEqual([first])
  })

  it('leaves nothing in a transaction of the caller if its work fails', async () => {
    await client.query('BEGIN')
    const failing = ledger.within(client, async writes => {
      await writes.insert([OPERATION])
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await client.query('COMMIT')
    expect(await operations()).toEqual([])
  })

  it('is refused on a client without an open transaction', async () => {
    const without = ledger.within(client, writes => writes.insert([OPERATION]))
    await expect(without).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('BEGIN'),
    })
    expect(await operations()).toEqual([])
  })

  it('may contain a NUL, which PostgreSQL cannot store', async () => {
    const odd = { ...OPERATION, key: 'a\0b', providers: ['p\0'] }
    const ids = []
    for (let n = 0; n < 2; n++) {
      const [inserted] = await ledger.transaction(writes => writes.insert([odd]))
      ids.push(inserted?.id)
    }
    expect(ids[1]).toBe(ids[0])
    expect(await ledger.find('c', 'a\0b')).toMatchObject({ id: ids[0] })
  })
})
