import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import {
  afterWait,
  hasEnded,
  type JobRecord,
  readRecord,
  recordForRetryByHand,
  recordOfAttempt,
  withoutRecord,
  withRecord,
} from './record.ts'

const failure = classify(Object.assign(new Error('Overloaded'), { status: 529 })) as Failure
const full: JobRecord = {
  starts: 3,
  tries: 2,
  retries: 1,
  snoozes: 1,
  snoozedMs: 60_000,
  retryingMs: 10_000,
  costUsd: 0.5,
  firstFailedAt: 1_000,
  maybeDoneAt: 2_000,
  throttledUntil: 3_000,
  resume: 's-1',
  failure: { ...failure, resetAt: 4_000 },
  verdict: { action: 'retry', delay_ms: 5 },
  waiting: { for: 'retry', since: 5_000 },
}

describe('the record of a job', () => {
  it('survives being stored in the data, except for the full text of its failure', () => {
    const { text: _text, ...kept } = full.failure as Failure
    const stored = JSON.parse(JSON.stringify(withRecord({ prompt: 'hello' }, full)))
    expect(readRecord(stored)).toEqual({ ...full, failure: kept })
    expect(withoutRecord(stored)).toEqual({ prompt: 'hello' })
    expect(stored.mulligan.first_failed_at).toBe('1970-01-01T00:00:01.000Z')
    expect(stored.mulligan.failure).not.toHaveProperty('text')
  })

  it('can be read from anything', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (data, mulligan) => {
        for (const given of [data, { mulligan }]) {
          const { starts, retries, snoozes, snoozedMs } = readRecord(given)
          for (const count of [starts, retries, snoozes, snoozedMs]) expect(count).toBeGreaterThanOrEqual(0)
        }
      }),
    )
  })

  it('counts waits for retries and for snoozes separately', () => {
    expect(afterWait(full, 7_000)).toMatchObject({ retryingMs: 12_000, snoozedMs: 60_000 })
    expect(afterWait(full, 7_000)).not.toHaveProperty('waiting')
    const snoozing = { ...full, waiting: { for: 'snooze', since: 5_000 } } as const
    expect(afterWait(snoozing, 7_000)).toMatchObject({ retryingMs: 10_000, snoozedMs: 62_000 })
    // A clock that was set back must not reduce the counters.
    expect(afterWait(full, 1).retryingMs).toBe(10_000)
  })

  it('starts over after a retry by hand, but keeps starts, tries and cost', () => {
    expect(hasEnded(full)).toBe(false)
    expect(hasEnded({ ...full, verdict: { action: 'cancel' } })).toBe(true)
    expect(hasEnded({ ...full, verdict: { action: 'park' } })).toBe(true)
    const afresh = {
      starts: 3,
      tries: 2,
      retries: 0,
      snoozes: 0,
      snoozedMs: 0,
      retryingMs: 0,
      costUsd: 0.5,
    }
    expect(recordForRetryByHand(full, 'none')).toEqual(afresh)
    expect(recordForRetryByHand(full, 'replay')).toEqual(afresh)
    const addedAgain = { ...full, startsBefore: 2 }
    expect(recordForRetryByHand(addedAgain, 'replay')).toEqual({ ...afresh, startsBefore: 2 })
    // What can be verified is verified, whoever asks.
    expect(recordForRetryByHand(full, 'verify_first')).toEqual({
      ...afresh,
      maybeDoneAt: 2_000,
      failure: full.failure,
    })
  })

  it('made from a number of attempts assumes that each may have taken effect', () => {
    expect(recordOfAttempt(1)).toMatchObject({ retries: 0, starts: 0 })
    expect(recordOfAttempt(1)).not.toHaveProperty('maybeDoneAt')
    expect(recordOfAttempt(3)).toMatchObject({ retries: 2, snoozes: 2, starts: 2, maybeDoneAt: 0 })
  })
})
