import { expect, it } from 'vitest'
import type { Failure } from '../failure/failure.ts'
import { blockAt } from './block.ts'

const DAY = 86_400_000
const failure = { class: 'throttle', kind: 'usage_limit', resetAt: 1e300, retryAfterMs: 1e300 } as Failure

it('ends a stored block after the longest wait, whatever time it names', () => {
  const block = blockAt({ from: 1_000, until: 1e300, failure }, 2_000)
  expect(block).toEqual({
    from: 1_000,
    until: 1_000 + 35 * DAY,
    failure: { class: 'throttle', kind: 'usage_limit' },
  })
  expect(blockAt({ from: 1_000, until: 1e300, failure }, 1_000 + 35 * DAY)).toBeUndefined()
})

it('keeps one within it as it is', () => {
  const block = { from: 0, until: 35 * DAY, failure: { ...failure, resetAt: 35 * DAY } }
  expect(blockAt(block, 1)).toBe(block)
})
