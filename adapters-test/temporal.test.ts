import { asyncLocalStorage, Context } from '@temporalio/activity'
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  DefaultFailureConverter,
  defaultPayloadConverter,
} from '@temporalio/common'
import { describe, expect, it, vi } from 'vitest'
import { defineWorker, outcomeOfActivity, temporalActivity } from '../src/adapter/temporal/index.ts'
import { runTemporal } from '../src/adapter/temporal/workflow/index.ts'
import { EmbeddedEngine } from '../src/engine/embedded/embedded-engine.ts'
import { openLedger } from '../src/ledger/sqlite/sqlite-ledger.ts'
import { LIMITED, LOGIN, OVERLOADED, REFUSED, TIMEOUT, throwing } from './errors.ts'

type Definition = Parameters<typeof defineWorker>[0]

/** Runs an activity as Temporal's worker does, and keeps its last heartbeat for the next attempt. */
function bench(definition: Partial<Definition>) {
  const run = vi.fn<Definition['run']>(() => 'fine')
  const worker = defineWorker({
    run,
    retry: 'replay',
    backoff: 'fixed10s',
    random: () => 0,
    pause: false,
    ...definition,
  })
  const activity = temporalActivity(worker, { ApplicationFailure, Context })
  let heartbeatDetails: unknown
  let attempt = 0
  const perform = async (
    given: { attempt?: number; signal?: AbortSignal; workerShutdown?: boolean } = {},
  ): Promise<unknown> => {
    attempt = given.attempt ?? attempt + 1
    const info = {
      activityId: '1',
      activityType: 'review',
      attempt,
      taskQueue: 'reviews',
      heartbeatDetails,
    } as never
    const heartbeat = (details: unknown) => {
      heartbeatDetails = details
    }
    const { signal = new AbortController().signal, workerShutdown } = given
    const details = workerShutdown === undefined ? {} : { details: { workerShutdown } }
    const context = new Context(
      info,
      new Promise<never>(() => {}),
      signal,
      heartbeat,
      {} as never,
      {} as never,
      {} as never,
      details as never,
    )
    return asyncLocalStorage.run(context, () => activity({ prompt: 'hello' }))
  }
  const failure = async (given?: { attempt?: number }): Promise<ApplicationFailure> => {
    const error = await perform(given).catch(error => error)
    expect(error).toBeInstanceOf(ApplicationFailure)
    return error
  }
  return { run, perform, failure, forget: () => (heartbeatDetails = undefined) }
}

describe('a Temporal activity', () => {
  it('returns the result of the work', async () => {
    expect(await bench({}).perform()).toBe('fine')
  })

  it("is retried after the verdict's delay, with failure and verdict as details", async () => {
    const { failure, run } = bench({})
    run.mockImplementation(throwing(OVERLOADED))
    const error = await failure()
    expect(error).toMatchObject({ nonRetryable: false, nextRetryDelay: 10_000, type: 'transient/overloaded' })
    expect(error.details?.[0]).toMatchObject({ outcome: { outcome: 'retry' }, mulligan: { retries: 1 } })
    expect((await failure()).details?.[0]).toMatchObject({ mulligan: { retries: 2, tries: 2 } })
  })

  it('waits for a limit without raising an alarm', async () => {
    const { failure } = bench({ run: throwing(LIMITED) })
    const error = await failure()
    expect(error).toMatchObject({ nonRetryable: false, category: 'BENIGN' })
    expect(Number(error.nextRetryDelay)).toBeGreaterThan(7_190_000)
  })

  it.each([
    ['a refusal', REFUSED, 'cancelled (refused)'],
    ['a missing login', LOGIN, 'waits for a person (login)'],
  ])('ends for %s', async (_what, thrown, words) => {
    const error = await bench({ run: throwing(thrown) }).failure()
    expect(error.nonRetryable).toBe(true)
    expect(error.message).toContain(words)
  })

  it('is bounded by the counters in its heartbeat', async () => {
    const { failure } = bench({ run: throwing(OVERLOADED), maxRetries: 1 })
    await failure()
    expect(await failure()).toMatchObject({ nonRetryable: true })
  })

  it('is not run again blindly after its worker was lost', async () => {
    const { failure, run } = bench({ retry: 'none', atomic: true })
    run.mockImplementation(throwing(OVERLOADED))
    expect(await failure({ attempt: 1 })).toMatchObject({ nonRetryable: false })
    expect(await failure({ attempt: 3 })).toMatchObject({ nonRetryable: true, type: 'transient/runner_lost' })
    expect(run).toHaveBeenCalledTimes(1)
  })

  it("counts by Temporal's attempts without a heartbeat, and then runs only repeatable work again", async () => {
    const once = bench({ retry: 'none' })
    expect(await once.failure({ attempt: 2 })).toMatchObject({ nonRetryable: true })
    expect(once.run).not.toHaveBeenCalled()
    expect(await bench({ retry: 'replay' }).perform({ attempt: 2 })).toBe('fine')
    const last = bench({ run: throwing(OVERLOADED), maxRetries: 2 })
    expect(await last.failure({ attempt: 3 })).toMatchObject({ nonRetryable: true })
  })

  it('goes to another worker when its own shuts down, and is cancelled only when Temporal cancels it', async () => {
    const { perform, run } = bench({})
    const aborting = async (workerShutdown: boolean) => {
      const stop = new AbortController()
      const reason = new CancelledFailure(workerShutdown ? 'WORKER_SHUTDOWN' : 'CANCELLED')
      run.mockImplementation((_data, { signal }) => {
        stop.abort(reason)
        return Promise.reject(signal.reason)
      })
      const error = await perform({ signal: stop.signal, workerShutdown }).catch(error => error)
      return { error, reason }
    }
    const shutdown = await aborting(true)
    expect(shutdown.error).toMatchObject({ nonRetryable: false, nextRetryDelay: 1 })
    const cancelled = await aborting(false)
    expect(cancelled.error).toBe(cancelled.reason)
  })

  it('gives the workflow the outcome over the wire', async () => {
    const error = await bench({ run: throwing(TIMEOUT), retry: 'none' }).failure()
    const converter = new DefaultFailureConverter()
    const sent = converter.errorToFailure(error, defaultPayloadConverter)
    const received = converter.failureToError(sent, defaultPayloadConverter)
    const caught = new ActivityFailure('failed', 'review', '1', undefined as never, undefined, received)
    expect(outcomeOfActivity(caught)).toMatchObject({ outcome: 'cancel', as: 'unverifiable' })
    expect(outcomeOfActivity(new Error('something else'))).toBeUndefined()
  })
})

describe('a workflow of a connected worker', () => {
  it('waits for a signal while its job is parked, and goes on in another activity', async () => {
    const ledger = await openLedger({ file: ':memory:' })
    const by = new EmbeddedEngine({ ledger })
    const run = vi.fn<Definition['run']>()
    // The first job of a queue tells the worker of it.
    run
      .mockResolvedValueOnce('first')
      .mockRejectedValueOnce(new Error('flurbl the wug'))
      .mockResolvedValue('fine')
    const worker = defineWorker({ name: 'review', retry: 'replay', run })
    const connection = await worker.connect({ ledger })
    // What the server does: it starts activities, and delivers signals to the workflow.
    let signalled: (start: number) => void = () => {}
    let isMet = () => {}
    const client = {
      workflow: {
        getHandle: (workflowId: string) => ({
          signal: async (name: string, start: number) => {
            expect([workflowId, name]).toEqual(['w/1', 'mulligan.resumed'])
            signalled(start)
            isMet()
          },
        }),
      },
    }
    const activity = temporalActivity(worker, { ApplicationFailure, Context }, { client })
    let activities = 0
    const converter = new DefaultFailureConverter()
    const started = async (data: object) => {
      const info = {
        activityId: String(++activities),
        activityType: 'review',
        attempt: 1,
        taskQueue: 'reviews',
        workflowExecution: { workflowId: 'w/1' },
      }
      const never = new Promise<never>(() => {})
      const { signal } = new AbortController()
      const rest = [{}, {}, {}, {}] as never[]
      const context = new Context(
        info as never,
        never,
        signal,
        () => {},
        ...(rest as [never, never, never, never]),
      )
      try {
        return await asyncLocalStorage.run(context, () => activity(data as never))
      } catch (error) {
        const sent = converter.errorToFailure(error, defaultPayloadConverter)
        const received = converter.failureToError(sent, defaultPayloadConverter)
        throw new ActivityFailure('failed', 'review', '1', undefined as never, undefined, received)
      }
    }
    await started({})
    const end = runTemporal(
      started,
      { prompt: 'hello' },
      {
        defineSignal: name => name,
        setHandler: (_signal, handler) => {
          signalled = handler
        },
        condition: isThere =>
          new Promise(resolve => {
            isMet = () => isThere() && resolve(true)
          }),
      },
    )
    const parked = await vi.waitFor(async () => {
      const [operation] = (await ledger.list({ engine: 'temporal', state: 'parked' })).items
      if (!operation) throw new Error('not parked yet')
      return operation
    })
    await by.unpark([parked.id], { by: 'person', reason: 'try again' })
    expect(await end).toBe('fine')
    expect(await ledger.get(parked.id)).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(run).toHaveBeenLastCalledWith({ prompt: 'hello' }, expect.anything())
    await connection.close()
    await by.close()
    await ledger.close()
  })
})
