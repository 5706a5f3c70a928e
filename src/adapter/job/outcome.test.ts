import { describe, expect, it } from 'vitest'
import { isFinal, outcomeInWords, toOutcome } from './outcome.ts'

const because = { reason: 'because', rule: 'a' }

describe('the outcome of a verdict', () => {
  it.each([
    [
      { action: 'retry', delayMs: 5, mode: 'resume', ...because },
      { outcome: 'retry', afterMs: 5, mode: 'resume', reason: 'because' },
      false,
    ],
    [
      { action: 'failover', ...because },
      { outcome: 'retry', afterMs: 0, mode: 'again', isFree: true, reason: 'because' },
      false,
    ],
    [
      { action: 'snooze', until: 9, mode: 'again', ...because },
      { outcome: 'snooze', until: 9, mode: 'again', reason: 'because' },
      false,
    ],
    [
      { action: 'park', for: 'login', ...because },
      { outcome: 'park', for: 'login', reason: 'because' },
      true,
    ],
    [
      { action: 'cancel', as: 'refused', ...because },
      { outcome: 'cancel', as: 'refused', reason: 'because' },
      true,
    ],
  ] as const)('%j', (verdict, outcome, final) => {
    expect(toOutcome(verdict)).toEqual(outcome)
    expect(isFinal(toOutcome(verdict))).toBe(final)
  })

  it('is one line for people', () => {
    expect(outcomeInWords({ outcome: 'cancel', as: 'refused', reason: 'no' })).toBe('cancelled (refused): no')
    expect(outcomeInWords({ outcome: 'park', for: 'login', reason: 'no' })).toBe(
      'waits for a person (login): no',
    )
    expect(outcomeInWords({ outcome: 'snooze', until: 1, mode: 'again', reason: 'later' })).toBe('later')
    expect(isFinal({ outcome: 'done', value: 1 })).toBe(true)
  })
})
