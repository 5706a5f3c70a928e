import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lengthText, parseLength } from './length.ts'

describe('parseLength', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['10m', 600_000],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
    ['2w', 1_209_600_000],
    ['1.5h', 5_400_000],
    ['1m500ms', 60_500],
    ['0', 0],
    ['0s', 0],
  ])('reads %j', (text, ms) => {
    expect(parseLength(text)).toBe(ms)
  })

  it.each([
    '',
    '10',
    '10 m',
    '-5s',
    '10min',
    'm',
    '30m1h',
    '1h1h',
    '1e3s',
    '.5s',
    'Infinitys',
    `${'9'.repeat(40)}d`,
  ])('takes %j for no length', text => {
    expect(parseLength(text)).toBeUndefined()
  })

  it('reads back whatever lengthText writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000_000 }), ms => {
        expect(parseLength(lengthText(ms))).toBe(ms)
      }),
    )
  })

  it('gives a whole number of milliseconds or nothing, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\d.wdhms]{0,12}$/)), text => {
        const ms = parseLength(text)
        expect(ms === undefined || (Number.isSafeInteger(ms) && ms >= 0)).toBe(true)
      }),
    )
  })
})
