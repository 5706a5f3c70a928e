import { expect, it } from 'vitest'
import { attemptFailure } from './failure.ts'
import type { Cut } from './outcome.ts'

const cut: Cut = {
  ended: 'timedOut',
  reason: new Error('timed out after 5 ms'),
  isBegun: true,
  isStillRunning: false,
}
const messageOf = (error?: unknown) => attemptFailure({ ...cut, error }, {})?.failure.message

it('says why an attempt was stopped, unless the work said something better', () => {
  expect(messageOf()).toBe('timed out after 5 ms')
  expect(messageOf(new Error('waiting for the lock of main.db'))).toBe('waiting for the lock of main.db')
})

it('does not count an error that only says it was aborted as something better', () => {
  expect(messageOf(new DOMException('This operation was aborted', 'AbortError'))).toBe('timed out after 5 ms')
  expect(messageOf(cut.reason)).toBe('timed out after 5 ms')
})

it('knows that work which never began had no effect', () => {
  expect(attemptFailure({ ...cut, isBegun: false }, {})?.failure.effect).toBe('none')
})

it('gives the classifier the mapped value, and the caller the original', () => {
  const error = new Error('the key is 1234')
  const found = attemptFailure({ ended: 'threw', error }, {}, () => new Error('the key is hidden'))
  expect(found?.failure.message).toBe('the key is hidden')
  expect(found?.cause).toBe(error)
})
