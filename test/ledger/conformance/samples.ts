import type { Failure } from '../../../src/failure/failure.ts'
import type { NewAttempt } from '../../../src/ledger/attempt.ts'
import type { EndingVerdict } from '../../../src/ledger/settlement.ts'
import type { Time } from '../../../src/time/time.ts'

export const failureOf = (more: Partial<Failure> = {}): Failure => ({
  class: 'transient',
  kind: 'overloaded',
  effect: 'none',
  message: 'the model is overloaded',
  evidence: { rule: 'test', where: 'message', excerpt: 'overloaded', lost: [] },
  fingerprint: 'fp1:1111111111111111',
  ...more,
})

export const attemptOf = (time: Time, more: Partial<NewAttempt> = {}): NewAttempt => ({
  startedAt: time.now(),
  endedAt: time.now(),
  ...more,
})

export const ABOUT = { reason: 'because', rule: 'test' }
export const RETRY: EndingVerdict = { action: 'retry', delayMs: 10_000, mode: 'again', ...ABOUT }
export const CANCEL: EndingVerdict = { action: 'cancel', as: 'refused', ...ABOUT }
export const PARK: EndingVerdict = { action: 'park', for: 'login', ...ABOUT }
