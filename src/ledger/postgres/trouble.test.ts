import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { DatabaseTrouble } from './database.ts'
import { openPostgresLedger, type PostgresLedger } from './postgres-ledger.ts'
import { TestProxy } from './test-proxy.ts'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from './test-schema.ts'

describe.skipIf(!hasPostgres)(hasPostgres ? 'a way to the server that fails' : WITHOUT_POSTGRES, () => {
  const { url, empty } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)
  let way: TestProxy
  let address: string
  let ledger: PostgresLedger
  let troubles: DatabaseTrouble['state'][]

  beforeAll(async () => {
    const target = new URL(url)
    way = new TestProxy({ host: target.hostname, port: Number(target.port || 5432) })
    target.port = String(await way.listen())
    address = target.toString()
  })
  afterAll(() => way.close())
  beforeEach(async () => {
    ledger = await openPostgresLedger({ database: address, connections: 2, statementMs: 800, waitMs: 20_000 })
    await empty()
    troubles = []
    ledger.onTrouble(({ state }) => troubles.push(state))
  })
  afterEach(async () => {
    way.heal()
    await ledger.close()
    // The server is not to wait for those that will never come back.
    way.cut()
  })

  const insert = (n: number) => ledger.transaction(writes => writes.insert([{ capability: 'a', params: n }]))
  const stored = async () => {
    const { items } = await ledger.list({}, { limit: 1_000 })
    return items.map(({ params }) => params as number).sort((a, b) => a - b)
  }

  it('loses no write and does none twice, however often it is cut', async () => {
    const numbers = Array.from({ length: 40 }, (_, n) => n)
    const cutting = (async () => {
      for (let n = 0; n < 6; n++) {
        await new Promise(resolve => setTimeout(resolve, 15))
        way.cut()
      }
    })()
    await Promise.all(numbers.map(insert))
    await cutting
    expect(await stored()).toEqual(numbers)
    expect(await ledger.check()).toEqual([])
  })

  it('that breaks over a commit is asked what became of it, and nothing happens twice', async () => {
    way.cutAfter('COMMIT')
    const [inserted] = await insert(1)
    expect(await stored()).toEqual([1])
    expect(await ledger.get(inserted?.id as string)).toMatchObject({ params: 1 })
    expect(troubles).toEqual(['away', 'back'])
  })

  it('that breaks before the commit has done nothing, and it is done again', async () => {
    way.cutAfter('INSERT INTO operations')
    await insert(1)
    expect(await stored()).toEqual([1])
  })

  it('that swallows everything is given up, told of once, and used again when it is healed', async () => {
    await insert(0)
    way.swallow()
    const written = insert(1)
    await expect.poll(() => troubles, { timeout: 10_000 }).toEqual(['away'])
    way.heal()
    await written
    expect(await stored()).toEqual([0, 1])
    expect(troubles).toEqual(['away', 'back'])
  }, 20_000)

  it('lets nothing of a refused write be done again', async () => {
    let tries = 0
    const refused = ledger.transaction(() => {
      tries++
      throw new Error('a mistake in the work: the socket was closed, timeout')
    })
    await expect(refused).rejects.toThrow('a mistake in the work')
    expect(tries).toBe(1)
    expect(troubles).toEqual([])
  })

  it('says that the server takes too long, and keeps nothing of the write', async () => {
    const slow = ledger.transaction(async writes => {
      await writes.insert([{ capability: 'a', params: 1 }])
      await writes.sql.exec('SELECT pg_sleep(5)')
    })
    await expect(slow).rejects.toMatchObject({ code: 'locked', message: expect.stringContaining('longer') })
    expect(await stored()).toEqual([])
  })

  it('tells by its code what a server cannot do for lack of disk, and that it only answers reads', async () => {
    const fail = (code: string) =>
      ledger.transaction(writes =>
        writes.sql.exec(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END $$`),
      )
    await expect(fail('53100')).rejects.toMatchObject({ code: 'full' })
    await expect(fail('42501')).rejects.toMatchObject({ code: 'read_only' })
    await expect(fail('XX001')).rejects.toMatchObject({ code: 'corrupt' })
    expect(await stored()).toEqual([])
  })
})
