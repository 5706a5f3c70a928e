import fc from 'fast-check'

const SURROGATES = { first: 0xd800, count: 0x800 }
const CODE_POINTS = 0x110000 - SURROGATES.count

/**
 * Any code point, as the unit of a string. The `binary` of fast-check is the same, but lists them all in a map before
 * its first string, which takes each process more than a second.
 */
export const codePoint = fc.nat(CODE_POINTS - 1).map(
  place => String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count),
  char => {
    const code = typeof char === 'string' && [...char].length === 1 ? char.codePointAt(0) : undefined
    if (code === undefined || (code >= SURROGATES.first && code < SURROGATES.first + SURROGATES.count))
      throw new Error('not a code point')
    return code < SURROGATES.first ? code : code - SURROGATES.count
  },
)
