import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EmbeddedEngine } from '../../engine/embedded/embedded-engine.ts'
import { openLedger, type SqliteLedger } from '../../ledger/sqlite/sqlite-ledger.ts'
import { durableDesk } from './durable-desk.ts'
import { type DurableSteps, performDurably } from './durable-loop.ts'
import { defineWorker, type JobWorker } from './worker.ts'

const UNKNOWN = new Error('flurbl the wug')
const job = { engine: 'memory', queue: 'q', jobId: '1', job: {}, data: { prompt: 'hello' } }

describe('a parked job of a workflow', () => {
  let ledger: SqliteLedger
  let by: EmbeddedEngine
  let worker: JobWorker
  const run = vi.fn()

  beforeEach(async () => {
    ledger = await openLedger({ file: ':memory:' })
    by = new EmbeddedEngine({ ledger })
    run.mockReset()
    run.mockRejectedValueOnce(UNKNOWN).mockResolvedValue('fine')
    worker = defineWorker({ name: 'review', retry: 'replay', run })
  })
  afterEach(async () => {
    await (await worker.connection)?.close()
    expect(await ledger.check()).toEqual([])
    await by.close()
    await ledger.close()
  })

  /** Begins it, and resolves when it is parked. */
  const begin = async (
    steps: Partial<DurableSteps> = {},
    wake?: (id: string, start: number) => Promise<void>,
  ) => {
    worker.attend(durableDesk('memory', 'q', wake ? { wake } : {}))
    await worker.connect({ ledger })
    const names: string[] = []
    const end = performDurably(worker, job, {
      run: async (name, work) => {
        names.push(name)
        return JSON.parse(JSON.stringify(await work()))
      },
      sleepUntil: () => new Promise(resolve => void setImmediate(resolve)),
      ...steps,
    })
    const id = await vi.waitFor(async () => {
      const [parked] = (await ledger.list({ engine: 'memory', state: 'parked' })).items
      if (!parked) throw new Error('not parked yet')
      return parked.id
    })
    return { end, id, names }
  }

  it('is woken when it may go on, and by nothing else', async () => {
    const woken = Promise.withResolvers<void>()
    const wakes: unknown[] = []
    const { end, id, names } = await begin({ sleepOrWake: () => woken.promise }, async (jobId, start) => {
      wakes.push([jobId, start])
      woken.resolve()
    })
    await by.unpark([id], { by: 'person', reason: 'try again' })
    expect(await end).toEqual({ outcome: { outcome: 'done', value: 'fine' } })
    expect(wakes).toEqual([['1', 1]])
    expect(names).toEqual(['review 1', 'review 1 asks 1', 'review 2'])
    expect(await ledger.get(id)).toMatchObject({ state: 'succeeded', attempts: 2 })
  })

  it('finds out by itself where its engine cannot wake it', async () => {
    const { end, id } = await begin()
    await by.unpark([id], { by: 'person', reason: 'try again' })
    expect(await end).toEqual({ outcome: { outcome: 'done', value: 'fine' } })
    expect(run).toHaveBeenCalledTimes(2)
  })

  it('ends if a person cancels it', async () => {
    const { end, id } = await begin()
    await by.cancel([id])
    expect(await end).toMatchObject({ outcome: { outcome: 'cancel', as: 'cancelled' } })
    expect(run).toHaveBeenCalledTimes(1)
  })
})
