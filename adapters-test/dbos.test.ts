import { randomUUID } from 'node:crypto'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { dbosWorkflow, defineWorker } from '../src/adapter/dbos/index.ts'
import { EmbeddedEngine } from '../src/engine/embedded/embedded-engine.ts'
import { openLedger } from '../src/ledger/sqlite/sqlite-ledger.ts'
import { TestSchema } from '../test/adapter/conformance/database.ts'
import { testPostgres } from '../test/adapter/conformance/servers.ts'
import { LIMITED, OVERLOADED, REFUSED, throwing } from './errors.ts'

type Definition = Parameters<typeof defineWorker>[0]

const server = await testPostgres()
const script: (() => unknown)[] = []
const run = vi.fn<Definition['run']>(() => script.shift()?.() ?? 'fine')

describe.skipIf('missing' in server)('a DBOS workflow', () => {
  const database = `mulligan_dbos_${randomUUID().slice(0, 8)}`
  const admin = new TestSchema('url' in server ? server.url : '', 'dbos')
  const shared = { run, retry: 'replay', backoff: 'fullJitter', random: () => 0.1, pause: false } as const
  const once = DBOS.registerWorkflow(
    dbosWorkflow(defineWorker({ ...shared, name: 'once', retry: 'none' }), DBOS),
    { name: 'once' },
  )
  const reviewer = defineWorker({ ...shared, name: 'review' })
  const review = DBOS.registerWorkflow(dbosWorkflow(reviewer, DBOS), { name: 'review' })

  beforeAll(async () => {
    await admin.query(`create database ${database}`)
    const url = new URL(admin.connectionString)
    url.pathname = database
    DBOS.setConfig({
      name: 'mulligan-test',
      systemDatabaseUrl: url.toString(),
      logLevel: 'error',
      runAdminServer: false,
    } as never)
    await DBOS.launch()
  })
  afterAll(async () => {
    await DBOS.shutdown({ workflowCompletionTimeoutMS: 100 })
    await admin.query(`drop database ${database} with (force)`)
    if ('stop' in server) await server.stop()
  })

  it('sleeps between tries, and keeps its counters in the results of its steps', async () => {
    run.mockClear()
    script.push(throwing(OVERLOADED), throwing(OVERLOADED))
    const handle = await DBOS.startWorkflow(review)({ prompt: 'hello' })
    expect(await handle.getResult()).toBe('fine')
    const steps = (await DBOS.listWorkflowSteps(handle.workflowID)) ?? []
    const names = steps.map(({ name }) => name).filter(name => name.startsWith('review'))
    expect(names).toEqual([1, 2, 3].flatMap(n => [`review ${n} begins`, `review ${n}`]))
    const second = steps.find(({ name }) => name === 'review 2')?.output
    expect(second).toMatchObject({ record: { retries: 2, failure: { kind: 'overloaded' } } })
    expect(run).toHaveBeenCalledTimes(3)
  })

  it('waits for a message while its job is parked in the ledger, and goes on when it is not', async () => {
    run.mockClear()
    const ledger = await openLedger({ file: ':memory:' })
    const by = new EmbeddedEngine({ ledger })
    const connection = await reviewer.connect({ ledger })
    script.push(throwing(new Error('flurbl the wug')))
    const handle = await DBOS.startWorkflow(review)({ prompt: 'hello' })
    const parked = await vi.waitFor(async () => {
      const [operation] = (await ledger.list({ engine: 'dbos', state: 'parked' })).items
      if (!operation) throw new Error('not parked yet')
      return operation
    }, 20_000)
    expect((await handle.getStatus())?.status).toBe('PENDING')
    await by.unpark([parked.id], { by: 'person', reason: 'try again' })
    expect(await handle.getResult()).toBe('fine')
    const names = ((await DBOS.listWorkflowSteps(handle.workflowID)) ?? []).map(({ name }) => name)
    expect(names).toContain('DBOS.recv')
    expect(await ledger.get(parked.id)).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(run).toHaveBeenCalledTimes(2)
    await connection.close()
    await by.close()
    await ledger.close()
  })

  it('ends with an error that carries the outcome', async () => {
    script.push(throwing(REFUSED))
    const handle = await DBOS.startWorkflow(review)({ prompt: '' })
    await expect(handle.getResult()).rejects.toMatchObject({
      message: expect.stringContaining('cancelled (refused)'),
      outcome: { outcome: 'cancel', as: 'refused' },
    })
    expect((await DBOS.getWorkflowStatus(handle.workflowID))?.status).toBe('ERROR')
  })

  it('waits for a limit in a durable sleep, and can be cancelled there', async () => {
    script.push(throwing(LIMITED))
    const handle = await DBOS.startWorkflow(review)({ prompt: 'hello' })
    await vi.waitFor(async () => {
      const steps = (await DBOS.listWorkflowSteps(handle.workflowID)) ?? []
      expect(steps.map(({ name }) => name)).toContain('DBOS.sleep')
    }, 20_000)
    expect((await handle.getStatus())?.status).toBe('PENDING')
    await DBOS.cancelWorkflow(handle.workflowID)
    expect((await DBOS.getWorkflowStatus(handle.workflowID))?.status).toBe('CANCELLED')
  })

  it('is not run again blindly after its process died during a try', async () => {
    run.mockClear()
    const gate = Promise.withResolvers<never>()
    const isBegun = Promise.withResolvers<void>()
    script.push(() => {
      isBegun.resolve()
      return gate.promise
    })
    const handle = await DBOS.startWorkflow(once)({ prompt: 'hello' })
    await isBegun.promise
    // What a dead process leaves behind: the step before the try is remembered, the try is not.
    const fork = await DBOS.forkWorkflow(handle.workflowID, 1)
    await expect(fork.getResult()).rejects.toMatchObject({ outcome: { as: 'unverifiable' } })
    expect(run).toHaveBeenCalledTimes(1)
    await DBOS.cancelWorkflow(handle.workflowID)
    gate.reject(new Error('over'))
    await handle.getResult().catch(() => {})
  })
})
