import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codePoint } from '../../../test/code-point.ts'
import { sampled } from '../../../test/sampled.ts'
import { compilePhrases } from './compile-phrases.ts'
import { PhraseError } from './phrase.ts'
import { PhraseSet } from './phrase-set.ts'

function found(phrases: string[], text: string): string[] {
  const set = new PhraseSet(compilePhrases(phrases))
  return set
    .match(text)
    .map(hit => phrases[hit.phrase] as string)
    .sort()
}

describe('PhraseSet', () => {
  it('finds words in order, with any punctuation between them', () => {
    for (const text of [
      'rate limit',
      'Rate-Limit',
      'rate_limit',
      'RATE\n  LIMIT',
      'the rateLimit!',
      'RateLimitError',
      'ｒａｔｅ　ｌｉｍｉｔ',
    ]) {
      expect(found(['rate limit'], text), text).toEqual(['rate limit'])
    }
  })

  it('does not find them inside other words, in the wrong order or with words between', () => {
    for (const text of ['crate limits', 'limit rate', 'rate the limit', 'ratelimit', 'rate7 limit']) {
      expect(found(['rate limit'], text), text).toEqual([])
    }
  })

  it('ends a phrase at the end of a sentence and at an empty line, not at a hard wrap', () => {
    expect(found(['connection reset'], 'lost the connection. Reset your password')).toEqual([])
    expect(found(['connection reset'], 'lost the connection\n\nreset')).toEqual([])
    expect(found(['connection reset'], 'the connection\n     reset by peer')).toEqual(['connection reset'])
  })

  it('allows a bounded number of words at …, within one sentence', () => {
    const phrase = 'quota … exceeded'
    expect(found([phrase], 'quota exceeded')).toEqual([phrase])
    expect(found([phrase], `quota ${'x '.repeat(10)}exceeded`)).toEqual([phrase])
    expect(found([phrase], `quota ${'x '.repeat(11)}exceeded`)).toEqual([])
    expect(found([phrase], 'your quota is fine. You exceeded nothing')).toEqual([])
  })

  it('crosses sentences at ……', () => {
    expect(found(['limit …… reset'], 'a limit. Nothing else. It will reset')).toEqual(['limit …… reset'])
  })

  it('knows alternatives of one or several words, and missing ones', () => {
    const phrase = '(api|access token) key (is|) invalid'
    for (const text of ['api key invalid', 'access token key is invalid', 'API key is invalid']) {
      expect(found([phrase], text), text).toEqual([phrase])
    }
    for (const text of ['access key invalid', 'key is invalid', 'api key was invalid']) {
      expect(found([phrase], text), text).toEqual([])
    }
  })

  it('takes # for any number, and never reads one inside a mixed word', () => {
    expect(found(['after # seconds'], 'after 30 seconds')).toEqual(['after # seconds'])
    expect(found(['after # seconds'], 'after a30 seconds')).toEqual([])
    expect(found(['e404'], 'npm ERR! code E404')).toEqual(['e404'])
  })

  it('matches a number that a phrase names, and still matches it as any number', () => {
    const phrase = 'balance is 0'
    const phrases = [phrase, 'balance is #']
    for (const text of [
      'balance is 0',
      'balance is $0',
      'balance is 0.00',
      'balance is 0. Pay',
      'balance is 0s',
    ])
      expect(found(phrases, text), text).toEqual(phrases.toSorted())
    for (const text of ['balance is 10', 'balance is 0.5', 'balance is 0,5', 'balance is 00', 'balance is 7'])
      expect(found(phrases, text), text).toEqual(['balance is #'])
    expect(found(['0 left'], '10.0 left')).toEqual([])
    expect(found(['0 left'], '0.0.0.0 left')).toEqual([])
  })

  it('drops apostrophes of either shape', () => {
    expect(found(["isn't supported"], 'isn’t supported')).toEqual(["isn't supported"])
    expect(found(["isn't supported"], "ISN'T SUPPORTED")).toEqual(["isn't supported"])
  })

  it('reads CJK text, which has no spaces', () => {
    expect(found(['访问量过大'], '该模型当前访问量过大，请您稍后再试')).toEqual(['访问量过大'])
  })

  it('reports the last place of each phrase', () => {
    const set = new PhraseSet(compilePhrases(['timed out']))
    const text = 'timed out. Then it timed out again'
    expect(set.match(text)).toEqual([{ phrase: 0, start: 19, end: 28 }])
  })

  it('rejects phrases with syntax errors', () => {
    for (const bad of ['Rate limit', 'a|b', '(a|b', 'a) b', '', '…', '(a|)']) {
      expect(() => compilePhrases([bad]), bad).toThrow(PhraseError)
    }
  })

  it('agrees with a search word by word', () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd', 'e')
    const phrases = fc.uniqueArray(
      fc.array(word, { minLength: 1, maxLength: 3 }).map(words => words.join(' ')),
      { minLength: 1, maxLength: 6 },
    )
    fc.assert(
      fc.property(phrases, fc.array(word, { maxLength: 30 }), (list, words) => {
        const expected = list.filter(phrase => ` ${words.join(' ')} `.includes(` ${phrase} `))
        expect(found(list, words.join(' '))).toEqual(expected.sort())
      }),
    )
  })

  it('finds the same after the compiled form was stored and loaded', () => {
    const phrases = [
      '(your|the|) quota … exceeded',
      'balance is 0',
      '# of # (requests|tokens)',
      'limit …… reset',
    ]
    const compiled = compilePhrases(phrases)
    const set = new PhraseSet(JSON.parse(JSON.stringify(compiled)))
    const text = 'quota is exceeded, balance is 0, 3 of 3 tokens, a limit. It will reset'
    expect(set.match(text)).toEqual(new PhraseSet(compiled).match(text))
    expect(set.match(text)).toHaveLength(4)
  })

  it('finds the same in its first text and in its hundredth, when its words are hashed', () => {
    const phrases = ["can't (reach|open|) … host", 'rate limit', '错误', '# of # tokens', 'balance is 0']
    const text = 'CAN’T reach that HOST: rateLimit, 错误, 3 of 4 tokens, balance is 0s'
    const set = new PhraseSet(compilePhrases(phrases))
    const first = set.match(text)
    expect(first.map(({ phrase }) => phrase).sort()).toEqual([0, 1, 2, 3, 4])
    for (let texts = 0; texts < 100; texts++) set.match(`unknown word number ${texts} follows`)
    expect(set.match(text)).toEqual(first)
  })

  it('looks a phrase up by each of the words in brackets, whether they stood in another phrase before or not', () => {
    const phrases = [
      '(quota|budget) (is|was|) used',
      'the (quota|budget) here',
      '(is|was|) gone (quota|budget)',
    ]
    for (const word of ['quota', 'budget']) {
      expect(found(phrases, `${word} was used`)).toEqual([phrases[0]])
      expect(found(phrases, `the ${word} here`)).toEqual([phrases[1]])
      expect(found(phrases, `gone ${word}`)).toEqual([phrases[2]])
    }
  })

  it('agrees with a search word by word among thousands of phrases', () => {
    const words = Array.from({ length: 400 }, (_, at) => `w${String.fromCharCode(97 + (at % 26))}${at}`)
    const phrases = words.flatMap((word, at) => [
      `${word} ${words[(at * 7) % 400]}`,
      `(${word}|${words[(at * 11 + 1) % 400]}) x${at}`,
    ])
    const set = new PhraseSet(compilePhrases(phrases))
    phrases.forEach((phrase, at) => {
      const [said = ''] = phrase.replace(/\((\w+)\|\w+\)/, '$1').split('|')
      expect(set.match(`so ${said} now`).map(hit => hit.phrase)).toContain(at)
    })
  })

  it('survives any text', () => {
    const set = new PhraseSet(compilePhrases(['rate limit', 'quota … exceeded', '# requests', '请求']))
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 400 }), text => {
        for (const { start, end } of set.match(text)) {
          expect(start).toBeGreaterThanOrEqual(0)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(text.length)
        }
      }),
      { numRuns: sampled(2_000) },
    )
  })
})
