import { describe, expect, it } from 'vitest'
import { without } from '../../../test/failure/catalogue/without.ts'
import { classify, withCatalogue } from '../classify.ts'
import { compileCatalogue } from './compile.ts'
import { CATALOGUE } from './index.ts'
import type { Rule } from './rule.ts'

const COMPILED = compileCatalogue(CATALOGUE)

/** Everything a verdict depends on, for the example of a rule. */
function decided({ example, exampleProvider, exampleReturned }: Rule): unknown {
  const failure = classify(example, {
    provider: exampleProvider,
    returned: exampleReturned,
    now: 1_790_000_000_000,
  })
  if (failure === null) return null
  const { class: cls, kind, effect, retryAfterMs, resetAt, scope } = failure
  return { cls, kind, effect, retryAfterMs, resetAt, scope }
}

describe('each rule of the catalogue', () => {
  it('decides its example differently than the other rules would', () => {
    const unneeded = CATALOGUE.filter(rule => {
      const withIt = JSON.stringify(decided(rule))
      return (
        withIt ===
        JSON.stringify(withCatalogue(without(COMPILED, CATALOGUE.indexOf(rule)), () => decided(rule)))
      )
    })
    expect(unneeded.map(({ id }) => id)).toEqual([])
  })
})
