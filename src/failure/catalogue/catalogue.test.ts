import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'
import { KINDS } from '../failure.ts'
import { compilePhrases } from '../text/compile-phrases.ts'
import { CATALOGUE } from './index.ts'
import { VENDORS, type Vendor } from './vendor.ts'

const OUT_OF_ORDER = [
  'money.offer: must be (between|at most|less than|greater than)',
  'money.spend_cap: hit your usage limit',
  'limit.plan_window: unauthenticated use',
  'limit.quota_used: unauthenticated use',
  'request.context_overflow: (exceed|exceeds|exceeded|exceeding) (your|the|its|our|an|a) … rate limit',
  'access.key_refused: (requires|require|needs) (setting|to set) (the|) … env var',
  'access.unauthorized: does not exist or not authorized',
  'net.reset: not allowed',
  'time.connect_timeout: connection timed out after',
  'local.permission: permission denied error',
  'local.locked: lock … (not found|access denied|forbidden|unauthorized|no such|expired|invalid)',
  'local.locked: permission denied',
  'local.locked: resource temporarily unavailable os error',
  'vendor.billing: regain access',
]

describe('the catalogue', () => {
  it('gives every rule a unique id', () => {
    const ids = CATALOGUE.map(rule => rule.id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  it('says for every rule why it exists', () => {
    expect(CATALOGUE.filter(rule => rule.why.length < 10).map(rule => rule.id)).toEqual([])
  })

  it('has only phrases that parse', () => {
    const phrases = CATALOGUE.flatMap(rule =>
      rule.when.flatMap(when => [...(when.says ?? []), ...(when.unless ?? [])]),
    )
    expect(() => compilePhrases(phrases)).not.toThrow()
  })

  it('stays small enough to read: at most 450 rules and 2,000 phrases', () => {
    const phrases = CATALOGUE.flatMap(rule => rule.when.flatMap(when => when.says ?? []))
    expect(CATALOGUE.length).toBeLessThanOrEqual(450)
    expect(phrases.length).toBeLessThanOrEqual(2_000)
  })

  it('has only rules with something to match', () => {
    const empty = CATALOGUE.filter(
      rule => rule.when.length === 0 || rule.when.some(when => !when.says && !when.code && !when.status),
    )
    expect(empty.map(rule => rule.id)).toEqual([])
  })

  it('excludes by phrases only what means something else, because the table of precedence decides between rules', () => {
    const said = (phrase: string) =>
      phrase
        .replaceAll(/\(([^|()]*)[^()]*\)/g, '$1')
        .replaceAll(/…+/g, '')
        .replaceAll('#', '7')
    const excluded = CATALOGUE.flatMap(({ id, when }) =>
      when.flatMap(({ unless = [] }) => unless.map(phrase => `${id}: ${phrase}`)),
    )
    const known = excluded.filter(
      each => classify(said(each.slice(each.indexOf(': ') + 2)))?.class !== 'unknown',
    )
    // Pairs of one rank whose kinds stand in the other order everywhere else. Do not add to them.
    expect(known).toEqual(OUT_OF_ORDER)
  })

  it('lists only vendors that a rule asks for', () => {
    const asked = new Set(
      CATALOGUE.flatMap(rule =>
        rule.when.flatMap(when => [...(when.vendor ?? []), ...(when.notVendor ?? [])]),
      ),
    )
    expect(Object.keys(VENDORS).filter(vendor => !asked.has(vendor as Vendor))).toEqual([])
  })

  it('produces every kind, by a rule or by a fact of the caller', () => {
    const given = new Set([
      ...CATALOGUE.map(
        ({ example, exampleProvider, exampleReturned }) =>
          classify(example, { provider: exampleProvider, returned: exampleReturned })?.kind,
      ),
      classify({ exitCode: 3, signal: null, stdout: '', stderr: '' })?.kind,
      classify(new Error('never heard of it'))?.kind,
    ])
    expect(
      Object.values(KINDS)
        .flat()
        .filter(kind => !given.has(kind)),
    ).toEqual([])
  })

  it('uses a kind only under the classes that KINDS lists it under', () => {
    const strays = CATALOGUE.filter(({ class: cls, kind }) => !KINDS[cls].includes(kind))
    expect(strays.map(({ id }) => id)).toEqual([])
  })

  it.each(CATALOGUE.map(rule => [rule.id, rule] as const))('recognises the example of %s', (id, rule) => {
    const failure = classify(rule.example, { provider: rule.exampleProvider, returned: rule.exampleReturned })
    expect(failure).toMatchObject({ class: rule.class, kind: rule.kind, evidence: { rule: id } })
  })
})
