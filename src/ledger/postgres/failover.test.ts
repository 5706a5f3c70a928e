import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hasPostgresPrograms,
  type PrivatePostgres,
  startPrivatePostgres,
} from '../../../test/ledger/postgres/private-server.ts'
import { TestProxy } from '../../../test/ledger/postgres/proxy.ts'
import type { DatabaseTrouble } from './database.ts'
import { openPostgresLedger, type PostgresLedger } from './postgres-ledger.ts'

const targetOf = ({ url }: PrivatePostgres) => {
  const { hostname: host, port } = new URL(url)
  return { host, port: Number(port) }
}

describe.skipIf(!hasPostgresPrograms)('a failover to a standby', () => {
  let server: PrivatePostgres
  let way: TestProxy
  let ledger: PostgresLedger
  const troubles: DatabaseTrouble['state'][] = []

  beforeAll(async () => {
    server = (await startPrivatePostgres(['fsync=off'])) as PrivatePostgres
    way = new TestProxy(targetOf(server))
    const address = new URL(server.url)
    address.port = String(await way.listen())
    ledger = await openPostgresLedger({ database: address.toString(), connections: 4, statementMs: 2_000 })
    ledger.onTrouble(({ state }) => troubles.push(state))
  }, 60_000)
  afterAll(async () => {
    await ledger.close()
    await way.close()
    await server.stop()
  })

  const insert = async (n: number) => {
    const inserted = await ledger.transaction(writes => writes.insert([{ capability: 'a', params: n }]))
    return inserted[0]?.id as string
  }
  const stored = async () => {
    const { items } = await ledger.list({}, { limit: 1_000 })
    return items.map(({ params }) => params as number).sort((a, b) => a - b)
  }

  it('that had every commit loses no write and repeats none; the ledger says that it waits, and goes on', async () => {
    const standby = await server.standby('synchronous')
    const numbers = Array.from({ length: 150 }, (_, n) => n)
    let acknowledged = 0
    const enough = Promise.withResolvers<void>()
    const writing = Promise.all(
      numbers.map(async n => {
        await insert(n)
        if (++acknowledged === 20) enough.resolve()
      }),
    )
    await enough.promise
    await server.stop()
    // A connection may still be answered after another was lost, so it may be away more than once.
    await expect.poll(() => troubles.at(-1)).toBe('away')
    await standby.promote()
    server = standby
    way.switchTo(targetOf(server))
    await writing
    expect(await stored()).toEqual(numbers)
    expect(await ledger.check()).toEqual([])
    expect(troubles.at(-1)).toBe('back')
  }, 60_000)

  it('that lagged behind loses what it had not received, and no more', async () => {
    const standby = await server.standby('asynchronous')
    const follower = new pg.Client(standby.url)
    await follower.connect()
    const before = await insert(1_000)
    await expect
      .poll(async () => {
        const { rows } = await follower.query('SELECT 1 FROM mulligan.operations WHERE params = $1', ['1000'])
        return rows.length
      })
      .toBe(1)
    await follower.end()
    await standby.detach()
    const lost = await insert(2_000)
    await server.stop()
    const unanswered = insert(3_000)
    await standby.promote()
    server = standby
    way.switchTo(targetOf(server))
    const written = await unanswered
    expect(await ledger.get(before)).toMatchObject({ params: 1_000 })
    expect(await ledger.get(lost)).toBeUndefined()
    expect(await ledger.get(written)).toMatchObject({ params: 3_000 })
    expect(await ledger.check()).toEqual([])
  }, 60_000)
})
