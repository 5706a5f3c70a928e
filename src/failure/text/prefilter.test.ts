import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codePoint } from '../../../test/code-point.ts'
import { sampled } from '../../../test/sampled.ts'
import { anyOf, mayContain, prefilterOf } from './prefilter.ts'

/** Texts of all lengths: the prefilter treats short, longer and long ones in different ways. */
const around = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.string({ minLength: 200, maxLength: 600 }),
  fc.string({ minLength: 0, maxLength: 20 }).map(text => text.repeat(400)),
)

const anyCase = (word: string) =>
  fc
    .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
    .map(upper => [...word].map((char, at) => (upper[at] ? char.toUpperCase() : char)).join(''))

describe('the prefilter of a text', () => {
  it('misses no word of the text, in any case', () => {
    const word = fc.constantFrom('retry', 'falling back', '[mcp', "you've", '-----', 'a.b')
    fc.assert(
      fc.property(
        around,
        word.chain(each => fc.tuple(fc.constant(each), anyCase(each))),
        around,
        (before, [each, written], after) => {
          const text = before + written + after
          expect(mayContain(prefilterOf(text), anyOf('never there', each))).toBe(true)
        },
      ),
      { numRuns: sampled(2_000) },
    )
  })

  it('misses no number and no non-ASCII word', () => {
    fc.assert(
      fc.property(around, fc.integer({ min: 100, max: 999 }), around, (before, number, after) => {
        expect(mayContain(prefilterOf(`${before} ${number}: ╭─ ${after}`), anyOf(' 000: '))).toBe(true)
        expect(mayContain(prefilterOf(`${before}╰═${after}`), anyOf('──'))).toBe(true)
      }),
    )
  })

  it('rules out most absent words', () => {
    const text = 'Your credit balance is too low to access the API. Please go to Plans & Billing.'
    for (const word of ['retry', 'timeout', 'reset', 'errno', 'http', '000', '://', '──'])
      expect(mayContain(prefilterOf(text), anyOf(word)), word).toBe(false)
    for (const length of [1_000, 10_000]) {
      const long = text.repeat(length / text.length)
      for (const word of ['retry', 'timeout', 'reset', 'errno', 'http'])
        expect(mayContain(prefilterOf(long), anyOf(word)), word).toBe(false)
    }
  })

  it('tells one text from the next', () => {
    expect(mayContain(prefilterOf('try again'), anyOf('again'))).toBe(true)
    expect(mayContain(prefilterOf('quota'), anyOf('again'))).toBe(false)
    expect(mayContain(prefilterOf('try again'), anyOf('again'))).toBe(true)
  })
})
