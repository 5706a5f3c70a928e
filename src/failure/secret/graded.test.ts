import { describe, expect, it } from 'vitest'
import { gradedTexts, leaks } from '../../../scripts/graded-secrets.ts'
import { prefixesOf } from '../../../scripts/secret-forms.ts'
import { redact } from '../redact.ts'

const SECRETS = ['vendors', 'structures', 'evasions'].flatMap(file => gradedTexts(file))

describe('redaction, graded by the texts in graded/,', () => {
  it('leaks at most 2 % of 400 secrets', () => {
    expect(SECRETS).toHaveLength(400)
    const leaked = SECRETS.filter(graded => leaks(redact(graded.text), graded))
    expect(leaked.length, leaked.map(({ line }) => line).join('\n')).toBeLessThanOrEqual(8)
  })

  it('does so for other keys of the same forms', () => {
    const others = ['vendors', 'structures', 'evasions'].flatMap(file => gradedTexts(file, 7))
    expect(others.filter(graded => leaks(redact(graded.text), graded)).length).toBeLessThanOrEqual(8)
  })

  it.each([1, 7])("leaks at most 3 %% of 285 vendors' keys that were listed later, with seed %i", seed => {
    const later = gradedTexts('later-vendors', seed)
    expect(later).toHaveLength(285)
    const leaked = later.filter(graded => leaks(redact(graded.text), graded))
    expect(leaked.length, leaked.map(({ line }) => line).join('\n')).toBeLessThanOrEqual(8)
  })

  it.each([1, 7])(
    'leaks at most 2 %% of 400 secrets that were listed before its code was read, with seed %i',
    seed => {
      const unseen = ['unseen-vendors', 'unseen-structures'].flatMap(file => gradedTexts(file, seed))
      expect(unseen).toHaveLength(400)
      const leaked = unseen.filter(graded => leaks(redact(graded.text), graded))
      expect(leaked.length, leaked.map(({ line }) => line).join('\n')).toBeLessThanOrEqual(8)
    },
  )

  it.each([1, 7])(
    'leaks at most 2 %% of 100 secrets in dumps, state files and traces, with seed %i',
    seed => {
      const dumps = gradedTexts('unseen-dumps', seed)
      expect(dumps).toHaveLength(100)
      const leaked = dumps.filter(graded => leaks(redact(graded.text), graded))
      expect(leaked.length, leaked.map(({ line }) => line).join('\n')).toBeLessThanOrEqual(2)
    },
  )

  it('changes nothing in dumps without a secret except a cookie, whose header is hidden whole', () => {
    const changed = gradedTexts('dumps-ordinary').filter(({ text }) => redact(text) !== text)
    expect(changed.map(({ text }) => text)).toEqual(['< set-cookie: theme=dark; Path=/; SameSite=Lax'])
  })

  it.each(['ordinary', 'unseen-ordinary'])('changes at most 2 of 200 texts that are %s', file => {
    const ordinary = gradedTexts(file)
    expect(ordinary).toHaveLength(200)
    const changed = ordinary.filter(({ text }) => redact(text) !== text)
    expect(changed.length, changed.map(({ line }) => line).join('\n')).toBeLessThanOrEqual(2)
  })

  it('leaves the frames of a stack readable', () => {
    const frame = '    at async TokenRefresher.refreshAccessToken (src/auth/token-refresher.ts:88:11)'
    expect(redact(frame)).toBe(frame)
  })

  it('changes nothing when done twice', () => {
    for (const { text } of SECRETS) expect(redact(redact(text))).toBe(redact(text))
  })
})

describe('the prefixes of a rule of secretlint', () => {
  it('are the letters before its class of key characters', () => {
    expect(prefixesOf(String.raw`(?<!\p{L})(?<type>ghp|gho)_[A-Za-z0-9_]{36}(?![A-Za-z0-9_])`)).toEqual([
      'ghp_',
      'gho_',
    ])
    expect(prefixesOf(String.raw`(?<!\p{L})hvs\.[A-Za-z0-9_-]{90,120}`)).toEqual(['hvs.'])
    expect(prefixesOf('(?:jdbc:)?mysql://[^@]{1,9}')).toBeUndefined()
  })
})
