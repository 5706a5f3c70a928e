import { describe, expect, it } from 'vitest'
import type { Operation } from '../ledger/index.ts'
import { eventInWords } from './operation-words.ts'

const submitted = (source: string, context?: unknown) =>
  eventInWords({ id: 1, at: 0, type: 'submitted', operation: 'op_1' }, { source, context } as Operation)

describe('the first line of a timeline', () => {
  it.each([
    ['submit', undefined, 'submitted'],
    ['run', { command: 'x' }, 'submitted, to be tried at once'],
    [
      'cron',
      { cron: 'nightly', at: '2026-01-01T03:00:00.000Z' },
      'submitted by the schedule nightly for 2026-01-01T03:00:00.000Z',
    ],
    ['cron', { cron: 'nightly' }, 'submitted by hand, as the schedule nightly does'],
    ['workflow', undefined, 'submitted by workflow'],
  ])('of what comes from %s with %o is: %s', (source, context, words) => {
    expect(submitted(source, context)).toBe(words)
  })
})

describe('a time that a schedule left out', () => {
  it('is told with the reason', () => {
    const data = {
      schedule: 'nightly',
      at: '2026-01-01T03:00:00.000Z',
      reason: 'nobody was there to submit it',
    }
    expect(eventInWords({ id: 1, at: 0, type: 'time_skipped', data })).toBe(
      'schedule nightly left out 2026-01-01T03:00:00.000Z: nobody was there to submit it',
    )
  })
})
