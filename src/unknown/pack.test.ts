import { describe, expect, it } from 'vitest'
import { ConfigError } from '../config/error.ts'
import type { Label } from '../ledger/label.ts'
import { packOf, readPack } from './pack.ts'

const label: Label = {
  id: 'label_1',
  fingerprint: 'fp1:0123456789abcdef',
  provider: 'acme',
  class: 'throttle',
  kind: 'quota',
  effect: 'maybe',
  retryAfterMs: 5_400_000,
  signature: '\\bflux "capacitor"\\b.*\\bdetuned\\b',
  who: 'ada',
  why: 'seats come free\nat noon \u001b[31m',
  at: 0,
}
const one = (more: string) => `[[signature]]\npattern = "flux capacitor"\nclass = "throttle"\n${more}\n`

describe('a signature pack', () => {
  it('imports the same labels that were exported', () => {
    const [read] = readPack(packOf([label]), 'pack.toml')
    expect(read).toMatchObject({
      pattern: label.signature,
      fingerprint: label.fingerprint,
      provider: 'acme',
      class: 'throttle',
      kind: 'quota',
      effect: 'maybe',
      retryAfterMs: 5_400_000,
      why: label.why,
      by: 'ada',
      at: '1970-01-01T00:00:00.000Z',
    })
    expect(readPack(packOf([]), 'pack.toml')).toEqual([])
  })

  it('exports no secret', () => {
    const pack = packOf([{ ...label, why: 'key sk-ant-REDACTED' }])
    expect(pack).not.toContain('abcdefghijkl')
  })

  it.each([
    ['effect = "none"', 'pack.toml:4:1: signature[0]: claims that failed tries had no effect'],
    ['retry_after = "25h"', 'pack.toml:4:1: signature[0]: waits longer than 24h'],
  ])('may not contain %j unless allowed', (more, message) => {
    expect(() => readPack(one(more), 'pack.toml')).toThrow(message)
    expect(readPack(one(more), 'pack.toml', { allow: true })).toHaveLength(1)
  })

  it.each([
    ['a huge file', `# ${'x'.repeat(1_048_577)}`, 'larger than 1 MiB'],
    ['too many signatures', one('').repeat(1_001), 'at most 1000'],
    ['deep nesting', `signature = ${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'pack.toml'],
    ['other tables', '[queue]\ndata = "/tmp"\n', 'contains "queue"; a signature pack may contain only'],
    [
      'a pattern that would hang others',
      '[[signature]]\npattern = "(a{1,1000}){1,1000}"\nclass = "throttle"\n',
      'pattern',
    ],
    ['a pattern with look-around', '[[signature]]\npattern = "(?=a)b"\nclass = "throttle"\n', 'look-around'],
    [
      'a pattern that matches anything',
      '[[signature]]\npattern = ".*"\nclass = "throttle"\n',
      'would match everything',
    ],
    ['a long pattern', `[[signature]]\npattern = "${'ab'.repeat(501)}"\nclass = "throttle"\n`, 'pattern'],
    ['a secret', one('why = "token=ghp_0123456789abcdef0123456789abcdef0123"'), 'seems to contain a secret'],
    ['no TOML', '[[signature', 'pack.toml:1'],
  ])('is refused with %s', (_name, text, message) => {
    expect(() => readPack(text, 'pack.toml', { allow: true })).toThrow(ConfigError)
    expect(() => readPack(text, 'pack.toml', { allow: true })).toThrow(message)
  })

  it('matches any pattern in linear time', () => {
    expect(readPack('[[signature]]\npattern = "(a+)+$"\nclass = "throttle"\n', 'pack.toml')).toHaveLength(1)
  })
})
