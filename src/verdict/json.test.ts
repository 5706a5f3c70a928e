import { expect, it } from 'vitest'
import { verdictToJson } from './json.ts'
import type { Verdict } from './verdict.ts'

const said = { reason: 'because', rule: 'mine' }

it.each<[Verdict, object]>([
  [
    { action: 'retry', delayMs: 1_500, mode: 'again', ...said },
    { action: 'retry', delay_ms: 1_500, mode: 'again', ...said },
  ],
  [
    { action: 'snooze', until: Date.UTC(2026, 0, 2), mode: 'resume', ...said },
    { action: 'snooze', until: '2026-01-02T00:00:00.000Z', mode: 'resume', ...said },
  ],
  [
    { action: 'park', for: 'login', ...said },
    { action: 'park', for: 'login', ...said },
  ],
  [
    { action: 'cancel', as: 'expired', ...said },
    { action: 'cancel', as: 'expired', ...said },
  ],
  [
    { action: 'failover', ...said },
    { action: 'failover', ...said },
  ],
])('%j travels as %j', (verdict, expected) => {
  expect(verdictToJson(verdict)).toEqual(expected)
})
