import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const now = Date.parse('2026-05-22T10:00:00Z')
const waitOf = (input: unknown) => classify(input, { now, timeZone: 'UTC' })?.retryAfterMs
const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000]

describe('the duration of a wait', () => {
  it.each([
    [
      'Out of call volume quota. Quota will be replenished in 22.14:18:12.',
      22 * DAY + 14 * HOUR + 18 * MINUTE + 12 * SECOND,
    ],
    ['Rate limit is exceeded. Try again in 00:04:12.', 4 * MINUTE + 12 * SECOND],
    ['Rate limit exceeded, retry after 1.00:00:30', DAY + 30 * SECOND],
    ['Rate limit exceeded. Try again in 00:00:07.5000000', 7.5 * SECOND],
    ['Rate limit exceeded, retry after PT1H30M', 90 * MINUTE],
    ['Rate limit exceeded. Retry-After: PT45S', 45 * SECOND],
    ['Quota exceeded; resets in P1D', DAY],
    ['Quota exceeded; resets in P1DT2H', 26 * HOUR],
    ['Rate limit exceeded, try again in PT0.5S', 500],
    ['Quota exceeded, try again in 1 day, 2:03:04', DAY + 2 * HOUR + 3 * MINUTE + 4 * SECOND],
    ['Quota exceeded, resets in 2 days, 0:30:00', 2 * DAY + 30 * MINUTE],
    ['Too many requests. Try again in 1.5 hours', 1.5 * HOUR],
    ['Too many requests. Try again in 2½ minutes', 2.5 * MINUTE],
    ['Rate limit reached. Try again in a moment, or retry in 30 seconds.', 30 * SECOND],
    ['Rate limit reached. You can send more in a moment, in full after 30 seconds', 30 * SECOND],
    ['usage limit reached, resets 7am', 21 * HOUR],
    ['usage limit reached, resets 11pm', 13 * HOUR],
    ['usage limit reached · resets 7pm', 9 * HOUR],
    ['limit reached, try again at 7pm', 9 * HOUR],
    [
      'rate limit reached (throttle/rate_limit; rate_limit: should work again at 2026-05-22T19:00:00Z; a call without a budget waits less than 5 min)',
      9 * HOUR,
    ],
  ])('is read: %s', (text, ms) => {
    expect(waitOf(text)).toBe(ms)
  })

  it.each([
    ['PT45S', 45 * SECOND],
    ['00:04:12', 4 * MINUTE + 12 * SECOND],
    ['1.00:00:30', DAY + 30 * SECOND],
  ])('is read from a field too: %s', (value, ms) => {
    expect(waitOf({ error: { message: 'rate limit exceeded', retryAfter: value } })).toBe(ms)
  })

  it.each([
    'usage limit reached, resets 9',
    'rate limit exceeded in version 22.14, see 18:12:00',
    'rate limit exceeded, retry after P',
    'rate limit exceeded in PT mode',
  ])('is none: %s', text => {
    expect(waitOf(text)).toBeUndefined()
  })
})
