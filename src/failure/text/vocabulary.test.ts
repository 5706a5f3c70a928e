import { describe, expect, it } from 'vitest'
import { NUMBER, UNKNOWN } from './tokens.ts'
import { Vocabulary } from './vocabulary.ts'
import { WordIndex } from './word-index.ts'

function vocabularyOf(words: string[]): Vocabulary {
  return new Vocabulary(new WordIndex(words.join(' '), words.length))
}

function wordsOf(text: string): string[] {
  const tokens = vocabularyOf([]).tokenize(text)
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
    const vocabulary = vocabularyOf(['', '#', 'rate', 'limit'])
    const tokens = vocabulary.tokenize('LIMIT 42 other rate')
    expect([...tokens.ids.slice(0, tokens.count)]).toEqual([3, NUMBER, UNKNOWN, 2])
  })

  it('tells words apart when there are thousands of them', () => {
    const words = Array.from({ length: 5_000 }, (_, i) => `w${i}x`)
    const tokens = vocabularyOf(['', '#', ...words]).tokenize(words.join(' '))
    expect([...tokens.ids.slice(0, tokens.count)]).toEqual(words.map((_, index) => index + 2))
  })

  it('marks where sentences end', () => {
    const tokens = vocabularyOf([]).tokenize('one. two\nthree; four 1.5 five')
    expect([...tokens.breaks.slice(0, tokens.count)]).toEqual([1, 1, 0, 1, 0, 0, 0])
  })
})
