import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, parseDuration } from './duration.ts'

describe('a duration', () => {
  it.each<[string, number]>([
    ['500ms', 500],
    ['90s', 90_000],
    ['10m', 600_000],
    ['10min', 600_000],
    ['1h30m', 5_400_000],
    ['1h 30m', 5_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['2.5s', 2_500],
    [' 0s ', 0],
    ['5M', 300_000],
  ])('%j is %s ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each(['', '10', 's', '-5s', '5 parsecs', '1e3s', 'Infinity', '5s later', '1h-30m', '9'.repeat(50)])(
    '%j is none',
    text => {
      expect(parseDuration(text)).toBeUndefined()
    },
  )

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1e12 }), ms => {
        expect(parseDuration(formatDuration(ms))).toBe(ms)
      }),
    )
  })
})
