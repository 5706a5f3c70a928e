import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf, partOf, valueAt } from './cut.ts'

/** All parts of a list or text, one after the other. */
function allParts(whole: unknown, key: string, most: number): unknown[] {
  const parts: unknown[] = []
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const part = partOf(whole, key, offset, most)
    expect(bytesOf(part.value)).toBeLessThanOrEqual(most)
    parts.push(part)
    offset = part.nextOffset
  }
  return parts
}

describe('a part of a value', () => {
  it('is the whole value if that fits', () => {
    expect(partOf({ a: { b: [1, 2] } }, 'a.b')).toEqual({ key: 'a.b', value: [1, 2], bytes: 5, isCut: false })
    expect(partOf('text')).toMatchObject({ value: 'text', isCut: false })
  })

  it('adds up to the whole text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 400 }), text => {
        const long = text.repeat(20)
        const parts = allParts({ text: long }, 'text', 2_148) as { value: string }[]
        expect(parts.map(({ value }) => value).join('')).toBe(long)
      }),
      { numRuns: 50 },
    )
  })

  it('never splits a character', () => {
    for (const shift of ['', 'x']) {
      const parts = allParts({ text: shift + '😀'.repeat(2_000) }, 'text', 2_148) as { value: string }[]
      expect(parts.length).toBeGreaterThan(2)
      for (const { value } of parts) expect(value).toMatch(/^x?😀+$/u)
    }
  })

  it('adds up to the whole list', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 40 }), { minLength: 60, maxLength: 200 }), items => {
        const parts = allParts({ items }, 'items', 2_348) as { value: string[] }[]
        expect(parts.flatMap(({ value }) => value)).toEqual(items)
      }),
      { numRuns: 50 },
    )
  })

  it('names an item that is too large by itself, and continues after it', () => {
    const items = ['a', 'x'.repeat(5_000), 'b']
    const part = partOf({ items }, 'items', 1, 4_096)
    expect(part).toMatchObject({ value: [], nextOffset: 2, keys: { 1: 5_002 } })
    expect(partOf({ items }, 'items.1', 0, 4_096)).toMatchObject({ isCut: true, total: 5_000 })
    expect(partOf({ items }, 'items', 2, 4_096)).toMatchObject({ value: ['b'] })
  })

  it('keeps the small keys of an object, and states the sizes of the rest', () => {
    const part = partOf({ small: 1, large: 'x'.repeat(5_000), other: 'y'.repeat(9_000) }, '', 0, 4_096)
    expect(part).toMatchObject({ value: { small: 1 }, isCut: true, keys: { large: 5_002, other: 9_002 } })
  })

  it('rejects unknown keys', () => {
    expect(() => valueAt({ a: [1, 2] }, 'a.7')).toThrow('there is no "7" in a; it is a list: 0 to 1')
    expect(() => valueAt({ a: 1 }, 'a.b')).toThrow('there is no "b" in a; it is neither an object nor a list')
    expect(() => valueAt({ a: 1 }, '__proto__')).toThrow('there is no "__proto__" at the top; known: a')
  })
})
