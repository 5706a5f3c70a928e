import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { CANCEL, RETRY } from '../../ledger/conformance/samples.ts'
import { openPostgresLedger, type PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../ledger/postgres/test-schema.ts'
import { FakeTime } from '../../testing/fake-time.ts'
import { jobId, runOfJob } from './jobs.ts'
import { PgBossEngine } from './pg-boss-engine.ts'
import { queueName } from './queue-name.ts'

interface JobRow {
  id: string
  name: string
  priority: number
  operation: string
  run: number
  due: number
}

describe.skipIf(!hasPostgres)(hasPostgres ? 'jobs of pg-boss' : WITHOUT_POSTGRES, () => {
  const { url, schema, empty } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)
  let time: FakeTime
  let ledger: PostgresLedger
  let engine: PgBossEngine

  beforeAll(async () => {
    time = new FakeTime()
    ledger = await openPostgresLedger({ database: url, time, connections: 4 })
    engine = new PgBossEngine({ ledger })
    await engine.open()
  })
  afterAll(async () => {
    await engine.close()
    await ledger.close()
  })
  beforeEach(() => empty())

  const exec = (text: string) => ledger.database.transaction(sql => sql.exec(text))
  const jobs = () =>
    ledger.read(sql =>
      sql.rows<JobRow>(`SELECT id, name, priority, data ->> 'operation' AS operation, (data ->> 'run')::int AS run,
        extract(epoch FROM start_after) * 1000 AS due FROM ${schema}_jobs.job ORDER BY data ->> 'operation'`),
    )
  const submit = async (more: object = {}) => {
    const [inserted] = await engine.schedule([{ capability: 'a', params: 1, ...more }])
    return inserted?.id as string
  }
  const claim = async () => (await engine.claim({ runner: 'r1', capabilities: ['a'], limit: 1 })).runs[0]

  it('state the next run, its time and its priority, in a queue for each capability', async () => {
    const id = await submit({ priority: 3, dueAt: time.now() + 5_000 })
    const other = await submit({ capability: 'b c' })
    expect(await jobs()).toMatchObject([
      { id: jobId(1, 1), name: 'a', priority: 3, operation: id, run: 1, due: time.now() + 5_000 },
      { name: queueName('b c'), operation: other, run: 1 },
    ])
    expect(queueName('b c')).toBe('b.20.c')
  })

  it('are removed when a run begins, and sent again when it ends if another follows', async () => {
    const id = await submit()
    const run = await claim()
    expect(await jobs()).toEqual([])
    await engine.settle(run?.fence as never, { verdict: RETRY })
    expect(await jobs()).toMatchObject([{ id: jobId(1, 2), operation: id, run: 2, due: time.now() + 10_000 }])
    await time.advance(10_000)
    const again = await claim()
    await engine.settle(again?.fence as never, { verdict: CANCEL })
    expect(await jobs()).toEqual([])
    await engine.revive([id])
    expect(await jobs()).toMatchObject([{ run: 3 }])
  })

  it('follow holds, frees, edits, parks and cancels of any writer', async () => {
    const id = await submit()
    await ledger.transaction(writes => writes.hold([id], 'p'))
    expect(await jobs()).toEqual([])
    await ledger.transaction(writes => writes.free([id]))
    expect(await jobs()).toHaveLength(1)
    await engine.edit(id, { priority: -4, dueAt: time.now() + 1_000 })
    expect(await jobs()).toMatchObject([{ priority: -4, due: time.now() + 1_000 }])
    await engine.park([id], { for: 'login', reason: 'no' })
    expect(await jobs()).toEqual([])
    await engine.unpark([id], { by: 'caller', reason: 'yes' })
    expect(await jobs()).toHaveLength(1)
    await engine.cancel([id])
    expect(await jobs()).toEqual([])
    expect(await ledger.check()).toEqual([])
  })

  it('are not stored if the transaction that sent them is rolled back', async () => {
    const broken = ledger.transaction(async writes => {
      await writes.insert([{ capability: 'a', params: 1 }])
      throw new Error('no')
    })
    await expect(broken).rejects.toThrow('no')
    expect(await jobs()).toEqual([])
  })

  it('that are missing, extra or wrong are found by a check and repaired', async () => {
    const [lost, held, wrong] = [await submit(), await submit(), await submit()]
    await exec(`DELETE FROM ${schema}_jobs.job WHERE data ->> 'operation' = '${lost}';
      UPDATE operations SET held_by = 'p' WHERE id = ${held.slice(3)};
      UPDATE ${schema}_jobs.job SET priority = 9 WHERE data ->> 'operation' = '${wrong}'`)
    const rules = (await ledger.check()).map(({ rule }) => rule)
    expect(rules).toEqual(expect.arrayContaining(['waiting_has_job', 'job_has_waiting', 'job_says_the_same']))
    expect(await engine.repairJobs()).toBeGreaterThan(0)
    const after = (await ledger.check()).filter(({ rule }) => rule.includes('job'))
    expect(after).toEqual([])
    expect((await jobs()).map(({ operation }) => operation)).toEqual([lost, wrong])
    expect(await engine.repairJobs()).toBe(0)
  })

  it('that were duplicated, fetched by hand or left by a pruned operation are repaired too', async () => {
    const [doubled, fetched, pruned] = [await submit(), await submit(), await submit()]
    await exec(`INSERT INTO ${schema}_jobs.job_common SELECT (j).* FROM (SELECT jsonb_populate_record(j, jsonb_build_object('id', gen_random_uuid())) AS j
        FROM ${schema}_jobs.job_common j WHERE data ->> 'operation' = '${doubled}') j;
      UPDATE ${schema}_jobs.job SET state = 'active' WHERE data ->> 'operation' = '${fetched}';
      DELETE FROM operations WHERE id = ${pruned.slice(3)}`)
    const found = (await ledger.check()).filter(({ rule }) => rule.includes('job'))
    expect(found.map(({ rule }) => rule)).toEqual([
      'waiting_has_job',
      'job_has_waiting',
      'job_has_waiting',
      'job_has_waiting',
    ])
    // The duplicate and two others are removed, and the fetched one is sent again.
    expect(await engine.repairJobs()).toBe(4)
    expect((await jobs()).map(({ operation }) => operation)).toEqual([doubled, fetched])
    expect((await ledger.check()).filter(({ rule }) => rule.includes('job'))).toEqual([])
    expect((await claim())?.operation.id).toBe(doubled)
  })

  it('are compared page by page, so that the check covers more than the first thousand', async () => {
    const many = await engine.schedule(Array.from({ length: 2_100 }, () => ({ capability: 'a', params: 1 })))
    const last = many.at(-1)?.id as string
    await exec(`DELETE FROM ${schema}_jobs.job WHERE data ->> 'operation' = '${last}'`)
    expect(await ledger.check()).toMatchObject([{ rule: 'waiting_has_job' }])
    expect(await engine.repairJobs()).toBe(1)
    expect(await ledger.check()).toEqual([])
  })

  it('have ids that name their run; other ids name none', () => {
    expect(runOfJob(jobId(123_456_789_012, 77))).toEqual({ operation: 123_456_789_012, run: 77 })
    expect(runOfJob('0b7c7e52-8c43-4d4f-9a4e-3f0c9d5b1a11')).toBeUndefined()
    expect(runOfJob('ffffffff-ffff-ffff-8000-000000000001')).toBeUndefined()
  })

  it('have distinct queue names, however long and odd the capabilities are', () => {
    const odd = ['a', 'a b', 'a.b', 'a%b', 'ü', 'x'.repeat(300), `${'x'.repeat(300)}y`]
    const names = odd.map(queueName)
    expect(new Set(names).size).toBe(odd.length)
    for (const name of names) expect(name).toMatch(/^[\w.\-/]{1,100}$/)
  })

  /** Why the engine chooses work itself. If one of these fails, pg-boss has learned to do it. */
  describe('as pg-boss itself would fetch them', () => {
    let boss: PgBoss
    beforeAll(async () => {
      boss = new PgBoss({
        schema: `${schema}_jobs`,
        db: { executeSql: (text, values) => ledger.database.aside(text, values) },
        supervise: false,
        schedule: false,
      })
      await boss.start()
      await boss.createQueue('x')
      await boss.createQueue('y')
    })
    afterAll(() => boss.stop({ graceful: false }))

    it('come in the order in which they were sent, not by due time', async () => {
      const past = (ms: number) => new Date(Date.now() - ms).toISOString()
      await boss.send('x', { n: 'late' }, { startAfter: past(1_000) })
      await boss.send('x', { n: 'early' }, { startAfter: past(60_000) })
      const [first] = await boss.fetch<{ n: string }>('x', { batchSize: 1 })
      expect(first?.data.n).toBe('late')
    })

    it('come from one queue at a time, so that the most urgent of another waits', async () => {
      await boss.send('x', { n: 'low' }, { priority: 0 })
      await boss.send('y', { n: 'high' }, { priority: 9 })
      const [first] = await boss.fetch<{ n: string }>('x', { batchSize: 1 })
      expect(first?.data.n).toBe('low')
    })

    it('obey the limit of a group in one queue, not across queues', async () => {
      for (const queue of ['x', 'y'])
        for (let n = 0; n < 2; n++) await boss.send(queue, { n }, { group: { id: 'provider' } })
      const options = { batchSize: 4, groupConcurrency: 1 }
      const given = [...(await boss.fetch('x', options)), ...(await boss.fetch('y', options))]
      expect(given).toHaveLength(2)
    })
  })
})
