import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256 } from './sha256.ts'

describe('sha256', () => {
  it("equals Node's for any text", () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 50, maxLength: 300 }))
    fc.assert(
      fc.property(text, sample => {
        expect(sha256(sample)).toBe(createHash('sha256').update(sample).digest('hex'))
      }),
    )
  })

  it.each([0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 10_000])('is right at a length of %i', length => {
    const text = 'k'.repeat(length)
    expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'))
  })
})
