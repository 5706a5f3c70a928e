import { describe, expect, it, vi } from 'vitest'
import { FakeTime } from '../../testing/core/fake-time.ts'
import type { WorkerDefinition } from './definition.ts'
import { type DurableSteps, JobError, performDurably } from './durable-loop.ts'
import { defineWorker } from './worker.ts'

const OVERLOADED = Object.assign(new Error('Overloaded'), { status: 529 })
const REFUSED = Object.assign(new Error('prompt is missing'), { status: 400 })
const job = { engine: 'memory', queue: 'q', jobId: '1', job: {}, data: { prompt: 'hello' } }

/** Steps remembered across processes: each call of `steps` is a new process. */
function bench(definition: Partial<WorkerDefinition> = {}) {
  const time = new FakeTime(0)
  const memory = new Map<string, string>()
  const run = vi.fn<WorkerDefinition['run']>(() => 'fine')
  const worker = defineWorker({
    name: 'review',
    run,
    retry: 'replay',
    backoff: 'fixed10s',
    random: () => 0,
    time,
    ...definition,
  })
  const steps = (given: Partial<DurableSteps> & { dieIn?: string } = {}): DurableSteps => ({
    run: async (name, work) => {
      if (name === given.dieIn) throw new Error('the process died')
      if (!memory.has(name)) memory.set(name, JSON.stringify(await work()))
      return JSON.parse(memory.get(name) as string)
    },
    sleepUntil: async (_name, at) => time.advance(Math.max(0, at - time.now())),
    ...given,
  })
  return {
    run,
    memory,
    time,
    perform: (given?: Parameters<typeof steps>[0]) => performDurably(worker, job, steps(given)),
  }
}

const throwing = (error: unknown) => () => {
  throw error
}

describe('a job as steps of a workflow', () => {
  it('waits between tries and counts them from memory', async () => {
    const { run, perform, time, memory } = bench()
    run.mockImplementationOnce(throwing(OVERLOADED)).mockImplementationOnce(throwing(OVERLOADED))
    expect(await perform()).toEqual({ outcome: { outcome: 'done', value: 'fine' } })
    expect(time.now()).toBe(20_000)
    expect([...memory.keys()]).toEqual(['review 1', 'review 2', 'review 3'])
    expect(JSON.parse(memory.get('review 2') as string).record).toMatchObject({
      retries: 2,
      retrying_ms: 10_000,
    })
  })

  it('does not run again on replay', async () => {
    const { run, perform } = bench()
    await perform()
    await perform()
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('ends with the outcome of the verdict', async () => {
    const { perform } = bench({ run: throwing(REFUSED) })
    const end = await perform()
    expect(end).toMatchObject({ outcome: { outcome: 'cancel', as: 'refused' } })
    const { error } = end as { error: JobError }
    expect(error).toBeInstanceOf(JobError)
    expect(error.message).toContain('prompt is missing (cancelled (refused)')
    expect(error.mulligan).toMatchObject({ failure: { kind: 'invalid_request' } })
  })

  it('ends when its retries are used up', async () => {
    const { perform, run } = bench({ maxRetries: 2 })
    run.mockImplementation(throwing(OVERLOADED))
    expect(await perform()).toMatchObject({ outcome: { outcome: 'cancel', as: 'exhausted' } })
    expect(run).toHaveBeenCalledTimes(3)
  })

  it('is not run again blindly after a process died during a try', async () => {
    const { perform, run } = bench({ retry: 'none' })
    await expect(perform({ isContinuous: true, dieIn: 'review 1' })).rejects.toThrow('died')
    expect(await perform({ isContinuous: true })).toMatchObject({ outcome: { as: 'unverifiable' } })
    expect(run).not.toHaveBeenCalled()
  })

  it('is run again after that if it is repeatable, and the loss is counted', async () => {
    const { perform, memory } = bench()
    await expect(perform({ isContinuous: true, dieIn: 'review 1' })).rejects.toThrow('died')
    expect(await perform({ isContinuous: true })).toMatchObject({ outcome: { outcome: 'done' } })
    expect(JSON.parse(memory.get('review 1') as string).record).toMatchObject({ retries: 1 })
  })

  it('uses the number of starts that the engine reports', async () => {
    const { perform, run } = bench({ retry: 'none' })
    expect(await perform({ begun: () => 2 })).toMatchObject({ outcome: { as: 'unverifiable' } })
    expect(run).not.toHaveBeenCalled()
  })
})
