import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { completionsOf } from './complete.ts'
import { parseQuery, searchOf, tokensOf } from './parse.ts'

const NOW = Date.parse('2026-11-17T12:00:00Z')
const KNOWN = { capabilities: ['deploy', 'two words'], providers: ['codex'] }

describe('a query', () => {
  it('has the filters of ops ls, and words', () => {
    const { filter, problems } = parseQuery(
      'state:dead state:parked class:throttle provider:codex "timed out" since:2h x',
      NOW,
    )
    expect(problems).toEqual([])
    expect(filter).toEqual({
      state: ['dead', 'parked'],
      class: 'throttle',
      provider: 'codex',
      since: '2026-11-17T10:00:00.000Z',
      text: 'timed out x',
    })
    expect(searchOf(filter).toString()).toContain('state=dead&state=parked')
  })

  it('accepts the names of the API, and full times', () => {
    expect(parseQuery('parked_for:label held-by:"a b" before:2026-11-15T20:00:00Z', NOW)).toEqual({
      filter: { parked_for: 'label', held_by: 'a b', before: '2026-11-15T20:00:00.000Z' },
      problems: [],
    })
  })

  it.each([
    ['stat:dead', 'did you mean state:?'],
    ['https://x', 'is unknown. To search for these words'],
    ['state:deed', 'did you mean dead?'],
    ['class:', 'needs a value'],
    ['since:yesterday', 'such as 2h'],
    ['class:throttle class:rail', 'can be given once'],
  ])('%s is a mistake that says what would be right', (text, words) => {
    expect(parseQuery(text, NOW).problems[0]).toContain(words)
  })

  it('never loses a letter, and never throws', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const tokens = tokensOf(text)
        expect(
          tokens
            .map(token => token.text)
            .join('')
            .replace(/\s/g, ''),
        ).toBe(text.replace(/\s/g, ''))
        parseQuery(text, NOW)
        completionsOf(text, text.length, KNOWN)
      }),
    )
  })
})

describe('completion', () => {
  it('offers names, fixed values, and values from the daemon', () => {
    const texts = (text: string) => completionsOf(text, text.length, KNOWN).map(each => each.text)
    expect(texts('st')).toEqual(['state:'])
    expect(texts('x state:p')).toEqual(['state:parked '])
    expect(texts('capability:')).toEqual(['capability:deploy ', 'capability:"two words" '])
    expect(texts('provider:codex')).toEqual([])
    expect(texts('"st')).toEqual([])
  })

  it('replaces the word at the cursor and nothing else', () => {
    const [first] = completionsOf('state:de class:rail', 8, KNOWN)
    expect(first).toMatchObject({ text: 'state:dead ', from: 0, to: 8 })
  })
})
