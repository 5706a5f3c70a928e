import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BoundedOutput } from './output.ts'

describe('bounded output', () => {
  it('keeps everything that fits, in order, for any chunking', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), texts => {
        const output = new BoundedOutput()
        for (const text of texts) output.push(Buffer.from(text))
        expect(output.toString()).toBe(texts.join(''))
        expect(output.isCut).toBe(false)
      }),
    )
  })

  it('joins a character that was cut between two chunks', () => {
    const output = new BoundedOutput({ headBytes: 1, tailBytes: 100 })
    for (const byte of Buffer.from('é!')) output.push(Buffer.from([byte]))
    expect(output.toString()).toBe('é!')
  })

  it('keeps the head and the tail of what does not fit, and says how much is missing', () => {
    const output = new BoundedOutput({ headBytes: 4, tailBytes: 4 })
    for (const letter of 'abcdefghijklmnop') output.push(Buffer.from(letter))
    expect(output.toString()).toBe('abcd\n[8 bytes left out]\nmnop')
    expect(output.totalBytes).toBe(16)
  })

  it('never holds more than its limits and one chunk', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 })), sizes => {
        const output = new BoundedOutput({ headBytes: 10, tailBytes: 20 })
        for (const size of sizes) output.push(Buffer.alloc(size, 120))
        const kept = output.toString().replace(/\n\[\d+ bytes left out\]\n/, '')
        expect(kept.length).toBeLessThanOrEqual(10 + 20 + 50)
        expect(output.totalBytes).toBe(sizes.reduce((sum, size) => sum + size, 0))
      }),
    )
  })
})
