import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { varied } from '../../test/unknown/variants.ts'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { compilePattern } from '../failure/signature-pattern.ts'
import { COMMON_FAILURES } from './common-failures.ts'
import { proposeSignature } from './propose.ts'

const words = fc.constantFrom(
  ...'flux capacitor detuned tachyon manifold of the is plasma relay überlastet drained while job'.split(' '),
)
const variable = fc.oneof(
  fc.integer({ min: 0, max: 1e9 }).map(String),
  fc.uuid(),
  fc.constantFrom(
    '/srv/a/b.log',
    '/tmp/x/y',
    'https://example.com/a?b=1',
    '2026-11-16T10:00:00Z',
    '10.0.0.7:443',
  ),
)
/** A failure, and the same with other ids, numbers, times and paths. */
const occurrences = fc
  .array(fc.oneof({ weight: 4, arbitrary: words }, { weight: 1, arbitrary: fc.constant(null) }), {
    minLength: 1,
    maxLength: 30,
  })
  .chain(parts =>
    fc.array(
      fc
        .tuple(...parts.map(part => (part === null ? variable : fc.constant(part))))
        .map(all => all.join(' ')),
      { minLength: 1, maxLength: 3 },
    ),
  )

describe('a proposed signature', () => {
  it('matches all its samples and no common failure', () => {
    fc.assert(
      fc.property(occurrences, texts => {
        const { pattern } = proposeSignature(texts.map(message => ({ message })))
        if (pattern === undefined) return
        const regex = compilePattern('', pattern)
        for (const text of texts) expect(regex.matcher(text).find()).toBe(true)
        for (const { text } of COMMON_FAILURES) expect(regex.matcher(text).find()).toBe(false)
      }),
    )
  })

  it('holds no id, number, time or path', () => {
    const message =
      '2026-11-16T10:00:00Z job 4711 (3f2504e0-4f89-11d3-9a0c-0305e82c3301): flux capacitor of /srv/core/7 is detuned'
    const { pattern } = proposeSignature([{ message }])
    expect(pattern).toBe('\\bjob\\b.*\\bflux capacitor of\\b.*\\bis detuned\\b')
  })

  it('keeps the words that two wordings share', () => {
    const { pattern } = proposeSignature([
      { message: 'the plasma relay drained early: manifold closed' },
      { message: 'the plasma relay drained: manifold is closed' },
    ])
    expect(pattern).toBe('\\bthe plasma relay drained\\b.*\\bmanifold\\b.*\\bclosed\\b')
  })

  it.each([
    ['Error: the request failed with code 7', 'could appear in any failure'],
    ['', 'could appear in any failure'],
    ['rate limit exceeded', 'could appear in any failure'],
    ["TypeError: Cannot read properties of undefined (reading 'x')", 'a pattern would also match'],
  ])('is not made for %j, and says why', (message, why) => {
    expect(proposeSignature([{ message }]).none).toContain(why)
  })

  it('is not made if the message does not appear in the output', () => {
    const message = 'outer plasma relay: inner manifold drained'
    const { none } = proposeSignature([{ message, text: 'inner manifold drained\nouter plasma relay' }])
    expect(none).toContain('does not appear in its output')
  })

  it('is not made without samples', () => {
    expect(proposeSignature([]).none).toBe('it has no samples')
  })
})

describe('common failures', () => {
  it.each(COMMON_FAILURES)('$text is $class', ({ text, class: cls }) => {
    expect(classify(text)?.class).toBe(cls)
  })
})

describe('the fingerprint', () => {
  const of = (text: string) => (classify(text) as Failure).fingerprint

  it('is the same for other ids, times, paths and numbers', () => {
    const text =
      '2026-11-16T10:00:00Z job 4711 (3f2504e0-4f89-11d3-9a0c-0305e82c3301): relay of /srv/core/7 is detuned'
    expect(varied(text, 1)).not.toBe(text)
    expect(of(varied(text, 1))).toBe(of(text))
    expect(of(varied(text, 2))).toBe(of(text))
  })
})
