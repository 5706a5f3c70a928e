import { describe, expect, it } from 'vitest'
import { compileCatalogue } from './catalogue/compile.ts'
import type { Rule, When } from './catalogue/rule.ts'
import { classOfKind } from './failure.ts'
import { Matcher } from './match.ts'
import { emptyObservation } from './observe/notes.ts'
import type { Observation } from './observe/observation.ts'

const why = 'for a test'
type Source = Omit<Rule, 'id'>
/** A rule whose rank is what its part usually proves: a status little, a phrase more, a code most. */
function rule(when: When | readonly When[], more: Partial<Source> = {}): Source {
  const conditions = [when].flat() as When[]
  const kind = more.kind ?? 'server_error'
  const rank = conditions.every(({ says }) => says)
    ? 'general'
    : conditions.every(({ code }) => code)
      ? 'typed'
      : 'status'
  return {
    class: classOfKind(kind),
    kind,
    rank,
    effect: 'maybe',
    why,
    example: '',
    when: conditions,
    ...more,
  }
}
const family = (name: string, rules: Record<string, Source>) =>
  Object.entries(rules).map(([id, source]) => ({ ...source, id: `${name}.${id}` }))
const place = { where: 'message', depth: 0, late: false }
const text = (value: string, at: Partial<typeof place> = {}) => ({ value, ...place, ...at })
const word = (raw: string, at: Partial<typeof place> = {}) => ({
  value: raw.toLowerCase(),
  raw,
  ...place,
  where: 'code',
  ...at,
})
const status = (value: number, at: Partial<typeof place> = {}) => ({
  value,
  ...place,
  where: 'status',
  ...at,
})

/** What these rules find in an observation. */
function found(rules: Record<string, Source>, seen: Partial<Observation>, provider?: string) {
  const matcher = new Matcher(compileCatalogue(family('t', rules)))
  return matcher.match({ ...emptyObservation(), ...seen }, provider)
}
const ids = (...args: Parameters<typeof found>) => found(...args).map(({ rule: { id } }) => id)

describe('a rule', () => {
  it('matches a phrase, and says where', () => {
    const rules = { worn: rule({ says: ['worn out'] }) }
    expect(found(rules, { texts: [text('it is worn out now', { depth: 2 })] })).toMatchObject([
      {
        rule: { id: 't.worn' },
        where: 'message',
        source: 'it is worn out now',
        at: 6,
        end: 14,
        depth: 2,
        structured: false,
        late: false,
      },
    ])
  })

  it('matches a whole word of a field, in any case', () => {
    const rules = { worn: rule({ code: ['WornOut'] }) }
    expect(found(rules, { words: [word('WORNOUT')] })).toMatchObject([
      { source: 'wornout', at: 0, end: 7, structured: true },
    ])
    expect(ids(rules, { words: [word('WornOutTwice')] })).toEqual([])
  })

  it('matches a status, and a range such as 5xx', () => {
    const rules = { one: rule({ status: [503] }), all: rule({ status: ['4xx'] }) }
    expect(found(rules, { statuses: [status(503)] })).toMatchObject([
      { rule: { id: 't.one' }, source: '503', at: 0, end: 3, structured: true },
    ])
    expect(ids(rules, { statuses: [status(499)] })).toEqual(['t.all'])
    expect(ids(rules, { statuses: [status(504)] })).toEqual([])
    expect(ids(rules, { statuses: [status(500)] })).toEqual([])
  })

  it('for one status overrides the rule for its range', () => {
    const rules = { one: rule({ status: [404] }), all: rule({ status: ['4xx'] }) }
    expect(ids(rules, { statuses: [status(404)] })).toEqual(['t.one'])
  })

  it('for one status of one vendor leaves the range to all other vendors', () => {
    const rules = {
      one: rule({ status: [404], vendor: ['groq'] }, { rank: 'specific' }),
      all: rule({ status: ['4xx'] }),
    }
    expect(ids(rules, { statuses: [status(404)] })).toEqual(['t.all'])
    expect(ids(rules, { statuses: [status(404)] }, 'groq')).toEqual(['t.one', 't.all'])
  })

  it('for one status is general if one of its conditions names no vendor', () => {
    const rules = {
      one: rule([{ status: [404], vendor: ['groq'] }, { status: [404] }]),
      all: rule({ status: ['4xx'] }),
    }
    expect(ids(rules, { statuses: [status(404)] })).toEqual(['t.one'])
  })
})

describe('a demand of a rule', () => {
  it('for a vendor holds by the provider name, or by a brand in a text', () => {
    const rules = { worn: rule({ code: ['1300'], vendor: ['mistral', 'groq'] }) }
    const words = [word('1300')]
    expect(ids(rules, { words })).toEqual([])
    expect(ids(rules, { words }, 'mistral')).toEqual(['t.worn'])
    expect(ids(rules, { words }, 'cohere')).toEqual([])
    expect(ids(rules, { words, texts: [text('see console.groq.com')] })).toEqual(['t.worn'])
  })

  it('against a vendor holds for all others', () => {
    const rules = { worn: rule({ code: ['1300'], notVendor: ['mistral', 'groq'] }) }
    const words = [word('1300')]
    expect(ids(rules, { words })).toEqual(['t.worn'])
    expect(ids(rules, { words }, 'cohere')).toEqual(['t.worn'])
    expect(ids(rules, { words }, 'groq')).toEqual([])
  })

  it('for further words holds if one of them is present too', () => {
    const rules = { worn: rule({ code: ['first'], also: ['second', 'third'] }) }
    const [first, second, third] = [word('first'), word('second'), word('third')]
    expect(ids(rules, { words: [first] })).toEqual([])
    expect(ids(rules, { words: [second, third] })).toEqual([])
    expect(ids(rules, { words: [first, third] })).toEqual(['t.worn'])
  })

  it('for a code with a phrase holds if one of the codes is present', () => {
    const rules = { worn: rule({ says: ['worn out'], code: ['one', 'two'] }) }
    const texts = [text('worn out')]
    expect(ids(rules, { texts })).toEqual([])
    expect(ids(rules, { texts, words: [word('three')] })).toEqual([])
    expect(ids(rules, { texts, words: [word('two')] })).toEqual(['t.worn'])
  })

  it('for a status with a phrase holds for that status or its range', () => {
    const rules = { worn: rule({ says: ['worn out'], status: [404, '5xx'] }) }
    const texts = [text('worn out')]
    expect(ids(rules, { texts })).toEqual([])
    expect(ids(rules, { texts, statuses: [status(403)] })).toEqual([])
    expect(ids(rules, { texts, statuses: [status(404)] })).toEqual(['t.worn'])
    expect(ids(rules, { texts, statuses: [status(599)] })).toEqual(['t.worn'])
    expect(ids(rules, { texts, statuses: [status(403), status(500)] })).toEqual(['t.worn'])
  })

  it('for an absent phrase applies to the same text, or, for a code, to all texts', () => {
    const said = { worn: rule({ says: ['worn out'], unless: ['not yet'] }) }
    expect(ids(said, { texts: [text('not yet worn out')] })).toEqual([])
    expect(ids(said, { texts: [text('not yet'), text('worn out')] })).toEqual(['t.worn'])
    const coded = { worn: rule({ code: ['worn'], unless: ['not yet'] }), other: rule({ code: ['worn'] }) }
    expect(ids(coded, { words: [word('worn')], texts: [text('fine')] })).toEqual(['t.other', 't.worn'])
    expect(ids(coded, { words: [word('worn')], texts: [text('not yet')] })).toEqual(['t.other'])
  })
})

describe('of several places that match a rule', () => {
  const said = { worn: rule({ says: ['worn out'] }) }
  const where = (texts: Observation['texts']) => found(said, { texts }).map(found => found.where)
  const outer = text('worn out', { where: 'outer' })
  const inner = text('worn out', { where: 'inner', depth: 1 })

  it('the deepest counts, in any order', () => {
    expect(where([outer, inner])).toEqual(['inner'])
    expect(where([inner, outer])).toEqual(['inner'])
    expect(where([inner, text('by now it is worn out', { where: 'outer' })])).toEqual(['inner'])
  })

  it('one in a banner counts only if it is the only one', () => {
    const banner = text('worn out', { where: 'banner', depth: 2, late: true })
    expect(where([banner])).toEqual(['banner'])
    expect(where([outer, banner])).toEqual(['outer'])
    expect(where([banner, outer])).toEqual(['outer'])
  })

  it('the last one of a text counts, and the first of two texts that are alike', () => {
    const twice = text('worn out and worn out')
    expect(found(said, { texts: [twice] })).toMatchObject([{ at: 13, end: 21 }])
    expect(where([outer, text('worn out', { where: 'second' })])).toEqual(['outer'])
    const later = text('it is worn out', { where: 'later' })
    expect(where([later, outer])).toEqual(['later'])
    expect(where([outer, later])).toEqual(['later'])
  })

  it('the same holds for words and statuses', () => {
    const rules = { worn: rule({ code: ['worn'] }), one: rule({ status: [503] }) }
    const deep = { where: 'inner', depth: 1 }
    const seen = {
      words: [word('worn'), word('worn', deep), word('worn')],
      statuses: [status(503), status(503, deep), status(503)],
    }
    expect(found(rules, seen).map(found => found.where)).toEqual(['inner', 'inner'])
  })
})

describe('a code', () => {
  const rules = { quota: rule({ says: ['quota exceeded'] }, { kind: 'quota' }) }

  it('that no rule knows is read as words, and still counts as a field', () => {
    expect(found(rules, { words: [word('ModelQuotaExceeded')] })).toMatchObject([
      { rule: { id: 't.quota' }, source: 'ModelQuotaExceeded', structured: true, where: 'code' },
    ])
  })

  it('is read the same each time, even a long one or one after many others', () => {
    const matcher = new Matcher(compileCatalogue(family('t', rules)))
    const read = (code: string) =>
      matcher.match({ ...emptyObservation(), words: [word(code)] }, undefined).length
    const long = `${'Very'.repeat(30)}LongQuotaExceeded`
    expect([read('QuotaExceeded'), read(long), read('QuotaExceeded'), read(long)]).toEqual([1, 1, 1, 1])
    for (let i = 0; i < 600; i++) expect(read(`Nothing${i}`)).toBe(0)
    expect([read('QuotaExceeded'), read('Nothing1')]).toEqual([1, 0])
  })

  it('that a rule knows as a whole is not read as words, but another field is', () => {
    const known = { ...rules, known: rule({ code: ['session_quota_exceeded'] }, { kind: 'lock' }) }
    const words = [word('session_quota_exceeded')]
    expect(ids(known, { words })).toEqual(['t.known'])
    expect(ids(known, { words, texts: [text('quota exceeded', { depth: 1 })] })).toEqual([
      't.known',
      't.quota',
    ])
    const elsewhere = word('ModelQuotaExceeded', { where: 'type', depth: 1 })
    expect(ids(known, { words: [...words, elsewhere] })).toEqual(['t.known', 't.quota'])
  })

  it('from the field of a status is not read as words either, but one next to a text is', () => {
    const known = { ...rules, one: rule({ status: [503] }), worn: rule({ says: ['worn out'] }) }
    const words = [word('QuotaExceeded')]
    expect(ids(known, { words, statuses: [status(503, { where: 'code' })] })).toEqual(['t.one'])
    expect(ids(known, { words, texts: [text('worn out', { where: 'code' })] }).sort()).toEqual([
      't.quota',
      't.worn',
    ])
  })

  it('of three characters or fewer, or with its field, is not read as words', () => {
    const short = { cut: rule({ says: ['eof'] }), far: rule({ says: ['halt'] }) }
    expect(ids(short, { words: [word('eof')] })).toEqual([])
    expect(ids(short, { words: [word('halt')] })).toEqual(['t.far'])
    const { raw: _raw, ...plain } = word('halt')
    expect(ids(short, { words: [plain] })).toEqual([])
  })
})

describe('an address', () => {
  const rules = { limit: rule({ says: ['rate limit'] }, { kind: 'rate_limit' }) }

  it('has its path ignored', () => {
    const link = 'bad key, see https://docs.example.com/rate-limit/rate-limit'
    expect(ids(rules, { texts: [text(link)] })).toEqual([])
    expect(ids(rules, { texts: [text('see docs/rate-limit')] })).toEqual(['t.limit'])
  })

  it('keeps the words around it in place, and its host readable', () => {
    const value = 'see http://rate-limit.example/some/page: rate limit'
    const [met] = found(rules, { texts: [text(value)] })
    expect(met).toMatchObject({ source: value, at: value.lastIndexOf('rate'), end: value.length })
    expect(ids(rules, { texts: [text('see https://rate-limit.example/x')] })).toEqual(['t.limit'])
  })
})

describe('a phrase in a text and in a code', () => {
  it('matches in the text if a rule knows the code as a whole', () => {
    const rules = {
      quota: rule({ says: ['quota exceeded'] }),
      session: rule({ code: ['session_quota_exceeded'] }),
    }
    const seen = { texts: [text('quota exceeded')], words: [word('session_quota_exceeded')] }
    expect(ids(rules, seen).sort()).toEqual(['t.quota', 't.session'])
    expect(ids(rules, { words: [word('session_quota_exceeded')] })).toEqual(['t.session'])
  })
})
