import { FatalError, RetryableError } from '@workflow/core'
import { describe, expect, it, vi } from 'vitest'
import { defineWorker, runWorkflowStep } from '../src/adapter/workflow-sdk/index.ts'
import { LIMITED, OVERLOADED, REFUSED, throwing } from './errors.ts'

type Definition = Parameters<typeof defineWorker>[0]
const errors = { FatalError, RetryableError }

function step(definition: Partial<Definition>, attempt = 1) {
  const run = vi.fn<Definition['run']>(() => 'fine')
  const shared = { retry: 'replay', backoff: 'fixed10s', random: () => 0, pause: false } as const
  const worker = defineWorker({ run, ...shared, ...definition })
  return { run, ended: runWorkflowStep(worker, {}, { stepId: 's-1', attempt }, errors).catch(error => error) }
}

describe('a step of the Workflow SDK', () => {
  it('returns the result of the work', async () => {
    expect(await step({}).ended).toBe('fine')
  })

  it("is retried at the verdict's time, by the SDK's own error class", async () => {
    const before = Date.now()
    const error = await step({ run: throwing(OVERLOADED) }).ended
    expect(RetryableError.is(error)).toBe(true)
    expect(error.retryAfter.getTime()).toBeGreaterThanOrEqual(before + 10_000)
    const limited = await step({ run: throwing(LIMITED) }).ended
    expect(limited.retryAfter.getTime()).toBeGreaterThanOrEqual(before + 7_200_000)
  })

  it('ends for good', async () => {
    const error = await step({ run: throwing(REFUSED) }).ended
    expect(FatalError.is(error)).toBe(true)
    expect(error.message).toContain('cancelled (refused)')
  })

  it('is bounded by its attempts', async () => {
    expect(FatalError.is(await step({ run: throwing(OVERLOADED), maxRetries: 2 }, 3).ended)).toBe(true)
    expect(FatalError.is(await step({ run: throwing(LIMITED), maxSnoozes: 2 }, 3).ended)).toBe(true)
  })

  it('is not run again blindly, because the SDK does not say how the last attempt ended', async () => {
    const { run, ended } = step({ retry: 'none' }, 2)
    expect(FatalError.is(await ended)).toBe(true)
    expect(run).not.toHaveBeenCalled()
    const verified = step({ retry: 'verify_first', verify: () => ({ state: 'done', value: 'there' }) }, 2)
    expect(await verified.ended).toBe('there')
  })
})
