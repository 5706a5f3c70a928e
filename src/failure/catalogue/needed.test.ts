import { describe, expect, it } from 'vitest'
import { classify, withCatalogue } from '../classify.ts'
import { compileCatalogue } from './compile.ts'
import type { CompiledCatalogue } from './compiled-form.ts'
import { CATALOGUE } from './index.ts'
import type { Rule } from './rule.ts'

const COMPILED = compileCatalogue(CATALOGUE)

/** The catalogue without one rule. Making its conditions impossible is faster than compiling the others again. */
function without(rule: Rule): CompiledCatalogue {
  const number = CATALOGUE.indexOf(rule)
  const own = new Set(COMPILED.conditions.flatMap((of, condition) => (of === number ? [condition] : [])))
  return {
    ...COMPILED,
    demands: [
      ...COMPILED.demands,
      ...Array.from(own, condition => [condition, { words: ['a word that no failure has'] }] as const),
    ],
    byStatus: COMPILED.byStatus
      .map(([status, conditions]) => [status, conditions.filter(condition => !own.has(condition))] as const)
      .filter(([, conditions]) => conditions.length > 0),
  }
}

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
      return withIt === JSON.stringify(withCatalogue(without(rule), () => decided(rule)))
    })
    expect(unneeded.map(({ id }) => id)).toEqual([])
  })
})
