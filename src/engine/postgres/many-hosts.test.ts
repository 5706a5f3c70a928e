import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { holdLock } from '../../../test/ledger/postgres/lock.ts'
import { hasPostgres, testSchema, WITHOUT_POSTGRES } from '../../../test/ledger/postgres/schema.ts'
import { openPostgresLedger, type PostgresLedger } from '../../ledger/postgres/postgres-ledger.ts'
import { SUCCEED } from '../../ledger/postgres/run-ends.ts'
import { START_DUE } from '../../ledger/postgres/start-due.ts'
import { keys } from '../../provider/keys.ts'
import { FakeTime } from '../../testing/core/fake-time.ts'
import type { ClaimedRun, ClaimRequest } from '../engine.ts'
import { PostgresEngine } from './postgres-engine.ts'

const SUCCEED_TYPES =
  'bigint bigint[] int[] text[] int[] int[] bigint[] bigint[] text[] text[] float8[] int[] text[] int'.split(
    ' ',
  )

interface Host {
  ledger: PostgresLedger
  engine: PostgresEngine
}

/** Races between two hosts, at the moment when one waits for the other. */
describe.skipIf(!hasPostgres)(hasPostgres ? 'two hosts on PostgreSQL' : WITHOUT_POSTGRES, () => {
  const { url, schema, empty } = hasPostgres ? testSchema() : ({} as ReturnType<typeof testSchema>)
  const LEASE_MS = 30_000
  let time: FakeTime
  let here: Host
  let there: Host

  beforeEach(async () => {
    time = new FakeTime()
    const open = async () => {
      const ledger = await openPostgresLedger({ database: url, time, connections: 3 })
      const engine = new PostgresEngine({ ledger })
      return { ledger, engine }
    }
    ;[here, there] = [await open(), await open()]
    await empty()
  })
  afterEach(async () => {
    const findings = await here.ledger.check()
    for (const { ledger, engine } of [here, there]) {
      await engine.close()
      await ledger.close()
    }
    expect(findings).toEqual([])
  })

  const submit = async (more: object = {}) => {
    const [inserted] = await here.engine.schedule([{ capability: 'a', params: null, ...more }])
    return inserted?.id as string
  }
  const claim = async (
    { engine }: Host,
    runner: string,
    more: Partial<ClaimRequest> = {},
  ): Promise<readonly ClaimedRun[]> =>
    (await engine.claim({ runner, capabilities: ['a'], limit: 10, leaseMs: LEASE_MS, ...more })).runs

  it('claim in one statement again after a pause, although nobody deleted it', async () => {
    const startDue = async () => {
      const id = await submit()
      const started = await here.ledger.transaction(writes =>
        writes.startDue({ capabilities: ['a'], lengthsMs: [LEASE_MS], limit: 10, runner: 'r1' }),
      )
      if (started.length === 0) await claim(here, 'r1')
      return started.map(({ operation }) => operation.id === id)
    }
    const pause = { at: time.now(), until: time.now() + 1_000 }
    await here.ledger.providers.compareAndSet(keys.pause('p'), 0, pause)
    expect(await startDue()).toEqual([])
    await time.advance(1_000)
    // It opens gradually, and is forgotten.
    expect(await startDue()).toEqual([])
    await time.advance(20_000)
    expect(await startDue()).toEqual([])
    expect(await startDue()).toEqual([true])
    await here.ledger.providers.compareAndSet(keys.pause('q'), 0, { at: time.now() })
    expect(await startDue()).toEqual([])
  })

  it('take over a lost run once, even if both wait for its row', async () => {
    await submit()
    await claim(here, 'lost')
    for (const host of [here, there]) await claim(host, 'looks')
    await time.advance(LEASE_MS)
    const lock = await holdLock(url, schema, 'SELECT 1 FROM operations FOR UPDATE')
    const claims = Promise.all([claim(here, 'r1'), claim(there, 'r2')])
    await lock.waitedForBy(2, claims)
    await lock.release()
    const taken = [...(await claims).flat(), ...(await claim(here, 'r1')), ...(await claim(there, 'r2'))]
    expect(taken).toMatchObject([{ fence: { run: 2 }, lost: { run: 1 } }])
  })

  it('do not take over a run that its owner renews at the same moment', async () => {
    await submit()
    const [run] = await claim(here, 'slow')
    await claim(there, 'r2')
    await time.advance(LEASE_MS)
    const lock = await holdLock(
      url,
      schema,
      `UPDATE operations SET renewals = renewals + 1, lease_until = lease_until + ${LEASE_MS}`,
    )
    const taken = claim(there, 'r2')
    await lock.waitedForBy(1, taken)
    await lock.release()
    expect([...(await taken), ...(await claim(there, 'r2'))]).toEqual([])
    expect(await here.engine.settle(run?.fence as ClaimedRun['fence'], { succeeded: true })).toMatchObject({
      settled: true,
    })
  })

  it('let one through a provider that is blocked again while a claim counts what it starts', async () => {
    await here.engine.block('p', 'cleared')
    await here.engine.unblock('p')
    await submit({ providers: ['p'] })
    const lock = await holdLock(
      url,
      schema,
      'UPDATE provider_gates SET blocked_until = 8640000000000000, freed_at = NULL, taken = 0',
    )
    const claimed = claim(here, 'r1')
    await lock.waitedForBy(1, claimed)
    await lock.release()
    expect(await claimed).toHaveLength(1)
    expect(await there.engine.letOneThrough('p')).toBe(true)
  })

  it('together start no more than a provider that opens has room for', async () => {
    for (let n = 0; n < 4; n++) await submit({ providers: ['p'] })
    await here.engine.block('p', 'cleared')
    await here.engine.unblock('p')
    const lock = await holdLock(url, schema, 'SELECT 1 FROM provider_gates FOR UPDATE')
    const claims = Promise.all([claim(here, 'r1', { limit: 1 }), claim(there, 'r2', { limit: 1 })])
    await lock.waitedForBy(2, claims)
    await lock.release()
    expect((await claims).flat()).toHaveLength(1)
  })

  it('forget a provider that is fully open and held up nothing, so that claims are short again', async () => {
    await here.engine.block('p', time.now() + 1_000)
    const id = await submit({ providers: ['p'] })
    expect(await claim(here, 'r1')).toEqual([])
    await time.advance(1_000)
    const [run] = await claim(here, 'r1')
    expect(run?.operation.id).toBe(id)
    const gates = () => here.ledger.read(sql => sql.rows('SELECT provider FROM provider_gates'))
    expect(await gates()).toHaveLength(1)
    await time.advance(86_400_000)
    await here.engine.settle(run?.fence as ClaimedRun['fence'], { succeeded: true })
    await claim(there, 'r2')
    expect(await gates()).toEqual([])
  })

  it('keep the events of a success in one chain if a cancel is requested at the same moment', async () => {
    const id = await submit()
    const [run] = await claim(here, 'r1')
    const lock = await holdLock(
      url,
      schema,
      `WITH told AS (INSERT INTO events (id, at, type, operation, run, previous)
        SELECT nextval('numbers'), 1, 'cancel_requested', id, run, last_event FROM operations RETURNING id)
      UPDATE operations SET cancel_requested = 1, last_event = (SELECT id FROM told)`,
    )
    const settled = there.engine.settle(run?.fence as ClaimedRun['fence'], { succeeded: true })
    await lock.waitedForBy(1, settled)
    await lock.release()
    expect(await settled).toMatchObject({ settled: true, state: 'succeeded' })
    const types = (await here.ledger.timeline(id)).map(({ type }) => type)
    expect(types).toEqual(['submitted', 'claimed', 'cancel_requested', 'succeeded'])
  })

  it.each([
    ['claim', START_DUE, ['text[]', 'bigint[]', 'int', 'bigint', 'text']],
    ['settle', SUCCEED, SUCCEED_TYPES],
  ])('%s operations by their key, however few are stored when it is planned', async (_verb, text, types) => {
    const values = types.map(() => 'NULL').join(', ')
    const plan = await here.ledger.database.transaction(async sql => {
      await sql.exec('SET LOCAL plan_cache_mode = force_generic_plan; ANALYZE operations')
      await sql.exec(`PREPARE asked (${types.join(', ')}) AS ${text}`)
      const rows = await sql.exec(`EXPLAIN EXECUTE asked (${values})`)
      await sql.exec('DEALLOCATE asked')
      return rows.map(row => Object.values(row as object)[0]).join('\n')
    })
    expect(plan).toContain('operations_pkey')
    expect(plan).not.toMatch(/Seq Scan on operations|operations_running/)
  })

  it.each(['renew', 'settle'] as const)(
    '%s many runs in the order of their ids, so that they cannot deadlock',
    async verb => {
      for (let n = 0; n < 3; n++) await submit()
      const fences = (await claim(here, 'r1')).map(({ fence }) => fence).reverse()
      const lock = await holdLock(url, schema, 'SELECT 1 FROM operations WHERE id = 1 FOR UPDATE')
      const verdict = { action: 'cancel', as: 'failed', reason: 'no', rule: 'x' } as never
      const done =
        verb === 'renew'
          ? here.engine.renew(fences)
          : Promise.all(
              fences.map((fence, n) =>
                here.engine.settle(fence, n === 1 ? { succeeded: true } : { verdict }),
              ),
            )
      await lock.waitedForBy(1, done)
      const free = await there.ledger.database.change(sql =>
        sql.rows('SELECT id FROM operations WHERE id > 1 FOR UPDATE SKIP LOCKED'),
      )
      await lock.release()
      await done
      expect(free).toHaveLength(2)
    },
  )
})
