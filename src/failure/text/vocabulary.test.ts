import { describe, expect, it } from 'vitest'
import { NUMBER, UNKNOWN } from './tokens.ts'
import { Vocabulary } from './vocabulary.ts'

function wordsOf(text: string): string[] {
  const tokens = new Vocabulary().tokenize(text)
  return Array.from({ length: tokens.count }, (_, i) => tokens.word(i))
}

describe('Vocabulary', () => {
  it('splits camelCase, snake_case and runs of capitals', () => {
    expect(wordsOf('RateLimitError rate_limit_error APIError ECONNRESET')).toEqual([
      'Rate',
      'Limit',
      'Error',
      'rate',
      'limit',
      'error',
      'API',
      'Error',
      'ECONNRESET',
    ])
  })

  it('keeps ids whole, so that numbers inside them are nothing', () => {
    expect(wordsOf('req_011CV2S4 port 4290 v1.2')).toEqual(['req', '011CV2S4', 'port', '4290', 'v1', '2'])
  })

  it('gives known words their number, others none, and numbers the one of numbers', () => {
    const vocabulary = new Vocabulary()
    const limit = vocabulary.intern('limit')
    expect(vocabulary.intern('limit')).toBe(limit)
    const tokens = vocabulary.tokenize('LIMIT 42 other')
    expect([...tokens.ids.slice(0, tokens.count)]).toEqual([limit, NUMBER, UNKNOWN])
  })

  it('tells words apart when there are thousands of them', () => {
    const vocabulary = new Vocabulary()
    const words = Array.from({ length: 5_000 }, (_, i) => `w${i}x`)
    const ids = words.map(word => vocabulary.intern(word))
    expect(new Set(ids).size).toBe(words.length)
    const tokens = vocabulary.tokenize(words.join(' '))
    expect([...tokens.ids.slice(0, tokens.count)]).toEqual(ids)
  })

  it('marks where sentences end', () => {
    const tokens = new Vocabulary().tokenize('one. two\nthree; four 1.5 five')
    expect([...tokens.breaks.slice(0, tokens.count)]).toEqual([1, 1, 0, 1, 0, 0, 0])
  })
})
