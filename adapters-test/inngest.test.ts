import { NonRetriableError, RetryAfterError } from 'inngest'
import { describe, expect, it, vi } from 'vitest'
import { defineWorker, runInngest, toInngestError } from '../src/adapter/inngest/index.ts'
import { EmbeddedEngine } from '../src/engine/embedded/embedded-engine.ts'
import { openLedger } from '../src/ledger/sqlite/sqlite-ledger.ts'
import { LIMITED, OVERLOADED, REFUSED, throwing } from './errors.ts'

const errors = { NonRetriableError, RetryAfterError }
type Definition = Parameters<typeof defineWorker>[0]

/** Steps that remember their results, as JSON. */
function context(attempt = 0) {
  const slept: [string, number][] = []
  const memory = new Map<string, string>()
  return {
    slept,
    memory,
    runId: 'run-1',
    attempt,
    step: {
      run: async (id: string, work: () => Promise<unknown>) => {
        if (!memory.has(id)) memory.set(id, JSON.stringify(await work()))
        return JSON.parse(memory.get(id) as string)
      },
      sleepUntil: async (id: string, time: Date) => {
        slept.push([id, time.getTime()])
      },
    },
  }
}

function workerOf(definition: Partial<Definition>) {
  const run = vi.fn<Definition['run']>(() => 'fine')
  const shared = {
    name: 'review',
    retry: 'replay',
    backoff: 'fixed10s',
    random: () => 0,
    pause: false,
  } as const
  return { run, worker: defineWorker({ run, ...shared, ...definition }) }
}

describe('Inngest errors', () => {
  it("are Inngest's own classes, and carry the outcome", () => {
    const now = Date.parse('2026-11-17T00:00:00Z')
    const retry = toInngestError({ outcome: 'retry', afterMs: 10_000, mode: 'again', reason: 'r' }, errors)
    expect(retry).toBeInstanceOf(RetryAfterError)
    expect(retry).toMatchObject({ message: 'r', retryAfter: '10' })
    const until = now + 3 * 86_400_000
    const snooze = toInngestError(
      { outcome: 'snooze', until, mode: 'again', reason: 'r' },
      errors,
      undefined,
      now,
    )
    expect(snooze).toMatchObject({ retryAfter: '86400' })
    const cancel = toInngestError(
      { outcome: 'cancel', as: 'refused', reason: 'no' },
      errors,
      new Error('bad', { cause: 7 }),
    )
    expect(cancel).toBeInstanceOf(NonRetriableError)
    expect(cancel).toMatchObject({ message: 'bad', cause: 7 })
  })
})

describe('a worker in Inngest steps', () => {
  it('sleeps between tries for any length, and remembers each try', async () => {
    const { worker, run } = workerOf({})
    run.mockImplementationOnce(throwing(LIMITED)).mockImplementationOnce(throwing(OVERLOADED))
    const inngest = context()
    const before = Date.now()
    expect(await runInngest(worker, { prompt: 'hello' }, inngest, errors)).toBe('fine')
    expect([...inngest.memory.keys()]).toEqual(['review 1', 'review 2', 'review 3'])
    expect(inngest.slept.map(([id]) => id)).toEqual(['review 1 waits', 'review 2 waits'])
    expect(inngest.slept[0]?.[1]).toBeGreaterThanOrEqual(before + 7_200_000)
    expect(JSON.parse(inngest.memory.get('review 2') as string)).toMatchObject({
      record: { retries: 1, snoozes: 1 },
    })
    // When Inngest calls the function again, nothing runs twice.
    expect(await runInngest(worker, { prompt: 'hello' }, inngest, errors)).toBe('fine')
    expect(run).toHaveBeenCalledTimes(3)
  })

  it('ends with an error that is not retried', async () => {
    const { worker } = workerOf({ run: throwing(REFUSED) })
    const error = await runInngest(worker, {}, context(), errors).catch(error => error)
    expect(error).toBeInstanceOf(NonRetriableError)
    expect(error).toMatchObject({ cause: { outcome: { outcome: 'cancel', as: 'refused' } } })
  })

  it('is not run again blindly after the process died during a step', async () => {
    const { worker, run } = workerOf({ retry: 'none' })
    const error = await runInngest(worker, {}, context(1), errors).catch(error => error)
    expect(error).toMatchObject({ cause: { outcome: { as: 'unverifiable' } } })
    expect(run).not.toHaveBeenCalled()
  })
})

describe('a function of a connected worker', () => {
  it('waits for its event while its job is parked', async () => {
    const ledger = await openLedger({ file: ':memory:' })
    const by = new EmbeddedEngine({ ledger })
    const { worker, run } = workerOf({})
    const connection = await worker.connect({ ledger })
    const given = context()
    const arrived = Promise.withResolvers<void>()
    const waits: unknown[] = []
    const sent: unknown[] = []
    const step = {
      ...given.step,
      waitForEvent: async (_id: string, options: { event: string; if: string; timeout: Date }) => {
        waits.push(options)
        await arrived.promise
      },
    }
    const client = {
      send: async (event: unknown) => {
        sent.push(event)
        arrived.resolve()
      },
    }
    // The first function tells the worker of its queue.
    run
      .mockResolvedValueOnce('first')
      .mockRejectedValueOnce(new Error('flurbl the wug'))
      .mockResolvedValue('fine')
    await runInngest(worker, {}, context(), { ...errors, client })
    const end = runInngest(worker, {}, { ...given, step }, { ...errors, client })
    const parked = await vi.waitFor(async () => {
      const [operation] = (await ledger.list({ engine: 'inngest', state: 'parked' })).items
      if (!operation) throw new Error('not parked yet')
      return operation
    })
    await by.unpark([parked.id], { by: 'person', reason: 'try again' })
    expect(await end).toBe('fine')
    expect(sent).toMatchObject([{ name: 'mulligan/resumed', data: { job: 'run-1', start: 1 } }])
    expect(waits).toMatchObject([
      { event: 'mulligan/resumed', if: 'async.data.job == "run-1" && async.data.start == 1' },
    ])
    await connection.close()
    await by.close()
    await ledger.close()
  })
})
