import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { TestProxy } from '../../../test/ledger/postgres/proxy.ts'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import type { DatabaseTrouble } from './database.ts'
import { openPostgresLedger, type PostgresLedger } from './postgres-ledger.ts'

describe.skipIf(!hasPostgres)(
  hasPostgres ? 'an unreliable connection to the server' : WITHOUT_POSTGRES,
  () => {
    const { url, empty } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)
    /** An SQL function that fails with a given error code. */
    const RAISE = 'fail_with'
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
      ledger = await openPostgresLedger({
        database: address,
        connections: 2,
        statementMs: 800,
        waitMs: 20_000,
      })
      await empty()
      await ledger.database.transaction(sql =>
        sql.exec(`CREATE OR REPLACE FUNCTION ${RAISE}(code text) RETURNS void LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = code; END $$`),
      )
      troubles = []
      ledger.onTrouble(({ state }) => troubles.push(state))
    })
    afterEach(async () => {
      way.heal()
      await ledger.close()
      // The server must not wait for connections that will never come back.
      way.cut()
    })

    const insert = (n: number) =>
      ledger.transaction(writes => writes.insert([{ capability: 'a', params: n }]))
    const stored = async () => {
      const { items } = await ledger.list({}, { limit: 1_000 })
      return items.map(({ params }) => params as number).sort((a, b) => a - b)
    }

    it('a cancelled BEGIN leaves nothing of what was sent with it', async () => {
      await insert(1)
      const query = pg.Client.prototype.query as (question: { text: string }) => unknown
      let cancelled = 0
      const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
        this: pg.Client,
        question: unknown,
      ) {
        const given = question as { text: string }
        const isFirst = given.text?.startsWith('BEGIN') && cancelled++ === 0
        const text = 'SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(5)'
        return query.call(this, isFirst ? { ...given, text } : given)
      } as never)
      await expect(insert(2)).rejects.toMatchObject({ code: 'locked' })
      await insert(3)
      spy.mockRestore()
      expect(cancelled).toBe(2)
      expect(await stored()).toEqual([1, 3])
    })

    it('loses no write and repeats none, however often it is cut', async () => {
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

    it('if lost during a commit, leads to a question whether it was stored, and nothing happens twice', async () => {
      way.cutAfter('COMMIT')
      const [inserted] = await insert(1)
      expect(await stored()).toEqual([1])
      expect(await ledger.get(inserted?.id as string)).toMatchObject({ params: 1 })
      expect(troubles).toEqual(['away', 'back'])
    })

    it('if lost during a commit, leads to that question even after the wait is over', async () => {
      const hasty = await openPostgresLedger({ database: address, connections: 2, waitMs: 0 })
      try {
        way.cutAfter('COMMIT')
        await hasty.transaction(writes => writes.insert([{ capability: 'a', params: 1 }]))
        expect(await stored()).toEqual([1])
      } finally {
        await hasty.close()
      }
    })

    it.each([
      ['leads to that question', 20_000],
      ['leads to that question even after the wait is over', 0],
    ])('if lost with the answer to a success, %s, and the success counts once', async (_, waitMs) => {
      const [inserted] = await insert(1)
      const id = inserted?.id as string
      const started = await ledger.transaction(writes =>
        writes.start(id, undefined, { runner: 'r', lengthMs: 30_000 }),
      )
      const settling = await openPostgresLedger({ database: address, connections: 2, waitMs })
      try {
        way.cutAfter('COMMIT')
        let tries = 0
        const [settled] = await settling.transaction(writes =>
          writes.succeedAll(
            [{ fence: { id, run: started?.operation.run as number }, settlement: { succeeded: true } }],
            { isAgain: tries++ > 0, startsPerServed: 2 },
          ),
        )
        const told = (await ledger.timeline(id)).filter(({ type }) => type === 'succeeded')
        expect(told).toHaveLength(1)
        expect(settled).toEqual({ settled: true, state: 'succeeded', event: told[0]?.id })
        expect(tries).toBe(2)
      } finally {
        await settling.close()
      }
    })

    it('is reported to all listeners, and one that throws breaks no write', async () => {
      ledger.onTrouble(() => {
        throw new Error('a listener')
      })
      const heard: string[] = []
      ledger.onTrouble(({ state }) => heard.push(state))
      way.cutAfter('COMMIT')
      await insert(1)
      expect(heard).toEqual(['away', 'back'])
    })

    it('may take longer for a read of everything', async () => {
      const rows = await ledger.database.snapshot(sql => sql.rows('SELECT pg_sleep(1.8)'))
      expect(rows).toHaveLength(1)
      expect(troubles).toEqual([])
    })

    it('replaces cached plans that a change of the schema made invalid', async () => {
      const [inserted] = await insert(1)
      const id = inserted?.id as string
      const all = () => Promise.all([ledger.get(id), ledger.get(id)])
      await all()
      const exec = (text: string) => ledger.database.transaction(sql => sql.exec(text))
      await exec('ALTER TABLE operations ADD COLUMN later text')
      try {
        expect(await all()).toMatchObject([{ id }, { id }])
        await ledger.transaction(writes => writes.cancel(id, 'no'))
        expect(troubles).toEqual([])
      } finally {
        await exec('ALTER TABLE operations DROP COLUMN later')
      }
    })

    it('repeats work that collided with others, even a single statement', async () => {
      let tries = 0
      const answer = await ledger.read(async sql => {
        if (++tries === 1) await sql.exec(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '40P01'; END $$`)
        return 'done'
      })
      expect([answer, tries]).toEqual(['done', 2])
    })

    it('if lost before the commit, has written nothing, and the write is repeated', async () => {
      way.cutAfter('INSERT INTO operations')
      await insert(1)
      expect(await stored()).toEqual([1])
    })

    it('if it swallows everything, is abandoned, reported once, and used again when it works', async () => {
      await insert(0)
      way.swallow()
      const written = insert(1)
      await expect.poll(() => troubles).toEqual(['away'])
      way.heal()
      await written
      expect(await stored()).toEqual([0, 1])
      expect(troubles).toEqual(['away', 'back'])
    })

    it('repeats a write if a statement that was not awaited collided', async () => {
      let tries = 0
      await ledger.transaction(async writes => {
        if (++tries === 1) writes.sql.send(`SELECT ${RAISE}('40P01')`, [])
        await writes.insert([{ capability: 'a', params: 1 }])
      })
      expect(tries).toBe(2)
      expect(await stored()).toEqual([1])
    })

    it('reports that nothing was stored if the work continued after a failed statement', async () => {
      const careless = ledger.transaction(async writes => {
        await writes.insert([{ capability: 'a', params: 1 }])
        await writes.sql.exec('SELECT 1 / 0').catch(() => {})
      })
      await expect(careless).rejects.toMatchObject({
        code: 'io',
        message: expect.stringContaining('nothing'),
      })
      expect(await stored()).toEqual([])
    })

    it('does not repeat a write whose work threw', async () => {
      let tries = 0
      const refused = ledger.transaction(() => {
        tries++
        throw new Error('a mistake in the work: the socket was closed, timeout')
      })
      await expect(refused).rejects.toThrow('a mistake in the work')
      expect(tries).toBe(1)
      expect(troubles).toEqual([])
    })

    it('reports that the server takes too long, and stores nothing of the write', async () => {
      const slow = ledger.transaction(async writes => {
        await writes.insert([{ capability: 'a', params: 1 }])
        await writes.sql.exec('SELECT pg_sleep(5)')
      })
      await expect(slow).rejects.toMatchObject({ code: 'locked', message: expect.stringContaining('longer') })
      expect(await stored()).toEqual([])
    })

    it('reports a full disk, a missing permission and damaged data by code', async () => {
      const fail = (code: string) =>
        ledger.transaction(writes =>
          writes.sql.exec(`DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '${code}'; END $$`),
        )
      await expect(fail('53100')).rejects.toMatchObject({ code: 'full' })
      await expect(fail('42501')).rejects.toMatchObject({ code: 'read_only' })
      await expect(fail('XX001')).rejects.toMatchObject({ code: 'corrupt' })
      expect(await stored()).toEqual([])
    })
  },
)
