import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { inputOf, parseCorpus } from '../src/cli/develop/corpus.ts'
import { type Graded, grade, predictionOf } from '../src/cli/develop/grade.ts'
import { classify } from '../src/failure/classify.ts'

function graded(name: string, withProvider: boolean): Graded[] {
  const file = fileURLToPath(new URL(name, import.meta.url))
  return parseCorpus(readFileSync(file, 'utf8'), file).map(entry => {
    const [input, context] = inputOf(entry, { withProvider })
    return { entry, prediction: predictionOf(entry.id, classify(input, context), context.now) }
  })
}

describe.each([
  ['with the provider', true],
  ['without being told who failed', false],
])('on the labelled failures, %s', (_title, withProvider) => {
  const all = graded('own.jsonl', withProvider)
  const high = all.filter(({ entry }) => entry.confidence === 'high')

  it('the class is right for 99 % of those that experts agree on', () => {
    expect(grade(high).classAccuracy).toBeGreaterThanOrEqual(0.99)
  })

  it('kind, decision and stated times hold their floors', () => {
    const { kindAccuracy, decisionAccuracy, retryAfterAccuracy, retryAfterSpecificity } = grade(all)
    expect(kindAccuracy).toBeGreaterThanOrEqual(0.92)
    expect(decisionAccuracy).toBeGreaterThanOrEqual(0.97)
    expect(retryAfterAccuracy).toBeGreaterThanOrEqual(0.97)
    expect(retryAfterSpecificity).toBeGreaterThanOrEqual(0.99)
  })

  it('at most 2 % of what should stop would be tried again', () => {
    expect(grade(all).falseRetryRate).toBeLessThanOrEqual(0.02)
  })

  it('a success is never called a failure where experts agree that it is one', () => {
    const accused = high.filter(
      ({ entry, prediction }) => entry.label.class === 'none' && prediction.class !== 'none',
    )
    expect(accused.map(({ entry }) => entry.id)).toEqual([])
  })
})

describe('on failures that were collected without sight of the rules', () => {
  const all = graded('blind-failures.jsonl', true)
  const high = all.filter(({ entry }) => entry.confidence === 'high')

  it('class, decision, false retry and stated times hold their floors', () => {
    expect(grade(high).classAccuracy).toBeGreaterThanOrEqual(0.98)
    const { decisionAccuracy, falseRetryRate, retryAfterAccuracy } = grade(all)
    expect(decisionAccuracy).toBeGreaterThanOrEqual(0.97)
    expect(falseRetryRate).toBeLessThanOrEqual(0.02)
    expect(retryAfterAccuracy).toBeGreaterThanOrEqual(0.97)
  })
})

describe('on a mixture that was collected later, and labelled twice', () => {
  const all = graded('blind-mixed.jsonl', true)
  const high = all.filter(({ entry }) => entry.confidence === 'high')

  it('class, decision and false retry hold the figures of their first sight', () => {
    expect(grade(high).classAccuracy).toBeGreaterThanOrEqual(0.964)
    expect(grade(high).decisionAccuracy).toBeGreaterThanOrEqual(0.962)
    expect(grade(high).falseRetryRate).toBe(0)
  })
})

describe.each([
  ['second', 'blind-mixed-2.jsonl'],
  ['third', 'blind-mixed-3.jsonl'],
])('on a %s mixture, collected and labelled in the same way', (_which, file) => {
  const all = graded(file, true)
  const high = all.filter(({ entry }) => entry.confidence === 'high')

  it('class, decision and false retry hold what mending by root cause gave', () => {
    expect(grade(high).classAccuracy).toBeGreaterThanOrEqual(0.99)
    expect(grade(all).decisionAccuracy).toBeGreaterThanOrEqual(0.97)
    expect(grade(high).falseRetryRate).toBe(0)
  })

  it('no success is called a failure, and no failure a success', () => {
    const confused = all.filter(
      ({ entry, prediction }) => (entry.label.class === 'none') !== (prediction.class === 'none'),
    )
    expect(confused.map(({ entry }) => entry.id)).toEqual([])
  })
})

describe('on a fourth mixture, labelled twice and committed before it was graded', () => {
  const all = graded('blind-mixed-4.jsonl', true)
  const high = all.filter(({ entry }) => entry.confidence === 'high')

  it('holds the figures of its first sight', () => {
    expect(grade(high).classAccuracy).toBeGreaterThanOrEqual(0.976)
    expect(grade(high).decisionAccuracy).toBeGreaterThanOrEqual(0.99)
    expect(grade(high).falseRetryRate).toBe(0)
    expect(grade(all).falseRetryRate).toBeLessThanOrEqual(0.011)
  })

  it('calls no success a failure', () => {
    const accused = all.filter(
      ({ entry, prediction }) => entry.label.class === 'none' && prediction.class !== 'none',
    )
    expect(accused.map(({ entry }) => entry.id)).toEqual([])
  })
})

describe('on a fifth mixture, committed before it was graded', () => {
  const all = graded('blind-mixed-5.jsonl', true)
  const high = all.filter(({ entry }) => entry.confidence === 'high')

  it('holds the figures of its first sight', () => {
    expect(grade(high).classAccuracy).toBeGreaterThanOrEqual(0.987)
    expect(grade(high).decisionAccuracy).toBe(1)
    expect(grade(all).falseRetryRate).toBe(0)
  })

  it('calls no success a failure', () => {
    const accused = all.filter(
      ({ entry, prediction }) => entry.label.class === 'none' && prediction.class !== 'none',
    )
    expect(accused.map(({ entry }) => entry.id)).toEqual([])
  })
})

describe.each([
  ['sixth', 'blind-mixed-6.jsonl', 0.0203],
  ['seventh', 'blind-mixed-7.jsonl', 0.084],
])('on a %s mixture, committed before it was graded', (_title, file, falseRetries) => {
  it.each([true, false])('holds what mending by shape gave (provider given: %s)', withProvider => {
    const all = graded(file, withProvider)
    const high = all.filter(({ entry }) => entry.confidence === 'high')
    expect(grade(high).classAccuracy).toBeGreaterThanOrEqual(0.985)
    expect(grade(high).decisionAccuracy).toBe(1)
    expect(grade(all).falseRetryRate).toBeLessThanOrEqual(falseRetries)
    const confused = all.filter(
      ({ entry, prediction }) => (entry.label.class === 'none') !== (prediction.class === 'none'),
    )
    expect(confused.map(({ entry }) => entry.id)).toEqual([])
  })
})

describe.each([
  ['eighth', 'blind-mixed-8.jsonl', 0.98, 0.024],
  ['ninth', 'blind-mixed-9.jsonl', 0.98, 0.024],
  ['tenth', 'blind-mixed-10.jsonl', 0.98, 0.024],
  ['eleventh', 'blind-mixed-11.jsonl', 0.98, 0.055],
  ['twelfth', 'blind-mixed-12.jsonl', 0.97, 0.036],
])('on a %s mixture, of failures unlike those of any older set', (_title, file, decisions, falseRetries) => {
  const all = graded(file, true)
  const high = all.filter(({ entry }) => entry.confidence === 'high')

  it('holds what mending by shape gave', () => {
    expect(grade(high).classAccuracy).toBeGreaterThanOrEqual(0.96)
    expect(grade(high).decisionAccuracy).toBeGreaterThanOrEqual(decisions)
    expect(grade(all).falseRetryRate).toBeLessThanOrEqual(falseRetries)
  })

  it('calls no success a failure', () => {
    const accused = all.filter(
      ({ entry, prediction }) => entry.label.class === 'none' && prediction.class !== 'none',
    )
    expect(accused.map(({ entry }) => entry.id)).toEqual([])
  })
})

describe('on failures that name types and code, committed before they were graded', () => {
  const high = graded('blind-types.jsonl', true).filter(({ entry }) => entry.confidence === 'high')

  it('holds what mending by root cause gave', () => {
    expect(grade(high).classAccuracy).toBe(1)
    expect(grade(high).falseRetryRate).toBe(0)
  })
})

describe('on tools and infrastructure, collected in the same way', () => {
  const all = graded('blind-tools.jsonl', true)
  const high = all.filter(({ entry }) => entry.confidence === 'high')

  it('class, decision and false retry hold what mending by root cause gave', () => {
    expect(grade(high).classAccuracy).toBeGreaterThanOrEqual(0.984)
    expect(grade(high).decisionAccuracy).toBeGreaterThanOrEqual(0.99)
    expect(grade(high).falseRetryRate).toBe(0)
    expect(grade(all).falseRetryRate).toBeLessThanOrEqual(0.04)
  })
})

describe.each([
  ['thirteenth', 'blind-mixed-13.jsonl'],
  ['fourteenth', 'blind-mixed-14.jsonl'],
  ['fifteenth', 'blind-mixed-15.jsonl'],
])('on a %s mixture, of the usual failures and successes', (_title, file) => {
  const all = graded(file, true)
  const high = all.filter(({ entry }) => entry.confidence === 'high')

  it('class, decision and false retry hold what mending by root cause gave', () => {
    expect(grade(high).classAccuracy).toBeGreaterThanOrEqual(0.985)
    expect(grade(high).decisionAccuracy).toBeGreaterThanOrEqual(0.99)
    expect(grade(high).falseRetryRate).toBe(0)
  })

  it('no success is called a failure, and no failure a success', () => {
    const confused = all.filter(
      ({ entry, prediction }) => (entry.label.class === 'none') !== (prediction.class === 'none'),
    )
    expect(confused.map(({ entry }) => entry.id)).toEqual([])
  })
})

describe('on soft failures and successes, collected in the same way', () => {
  const all = graded('blind-soft.jsonl', true)
  const high = all.filter(({ entry }) => entry.confidence === 'high')
  const isHidden = ({ entry, prediction }: Graded) =>
    entry.label.class !== 'none' && prediction.class === 'none'

  it('class, decision and false retry hold what mending by root cause gave', () => {
    expect(grade(high).classAccuracy).toBeGreaterThanOrEqual(0.99)
    expect(grade(high).decisionAccuracy).toBeGreaterThanOrEqual(0.98)
    expect(grade(all).falseRetryRate).toBe(0)
  })

  it('few failures are hidden, none of them sure, and no sure success is called a failure', () => {
    expect(all.filter(isHidden).length).toBeLessThanOrEqual(5)
    const confused = high.filter(
      ({ entry, prediction }) => (entry.label.class === 'none') !== (prediction.class === 'none'),
    )
    expect(confused.map(({ entry }) => entry.id)).toEqual([])
  })
})

describe('on successes, and failures that travel as success, collected in the same way', () => {
  const all = graded('blind-envelopes.jsonl', true)

  it('no success is called a failure', () => {
    const accused = all.filter(
      ({ entry, prediction }) => entry.label.class === 'none' && prediction.class !== 'none',
    )
    expect(accused.map(({ entry }) => entry.id)).toEqual([])
  })

  it('most hidden failures are found', () => {
    const failures = all.filter(({ entry }) => entry.label.class !== 'none')
    const hidden = failures.filter(({ prediction }) => prediction.class === 'none')
    expect(hidden.length / failures.length).toBeLessThanOrEqual(0.05)
  })
})

describe.each([true, false])(
  'on what real tools, agent CLIs, MCP servers and APIs gave when all went well',
  withProvider => {
    it(`calls none of it a failure, ${withProvider ? 'knowing' : 'not knowing'} who was asked`, () => {
      const all = ['real', 'tools', 'agents'].flatMap(name => graded(`successes/${name}.jsonl`, withProvider))
      expect(all.length).toBeGreaterThan(590)
      expect(
        all.filter(({ prediction }) => prediction.class !== 'none').map(({ entry }) => entry.id),
      ).toEqual([])
    })
  },
)
