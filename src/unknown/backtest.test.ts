import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { Backtest } from './backtest.ts'
import { COMMON_FAILURES } from './common-failures.ts'
import { nearestOf, similarityOf } from './similarity.ts'

const unknown = classify('the flux capacitor is detuned') as Failure
const limited = classify('Error: 429 Too Many Requests (flux)', { provider: 'acme' }) as Failure

describe('a backtest', () => {
  it('reports the new class of recorded failures, and counts no flip for unknown ones', () => {
    const backtest = new Backtest([{ pattern: 'flux capacitor', class: 'transient' }])
    backtest.add({ failure: unknown })
    backtest.add({ failure: unknown })
    backtest.add({ failure: limited })
    expect(backtest.report).toEqual({
      failures: COMMON_FAILURES.length + 3,
      matched: 2,
      flips: 0,
      changes: [
        {
          from: 'unknown',
          to: 'transient',
          count: 2,
          isFlip: false,
          examples: ['the flux capacitor is detuned'],
        },
      ],
    })
  })

  it('counts a known failure that would change its class as a flip', () => {
    const backtest = new Backtest([{ pattern: 'flux', class: 'transient' }])
    backtest.add({ failure: limited })
    expect(backtest.report).toMatchObject({
      flips: 1,
      changes: [{ from: 'throttle', to: 'transient', isFlip: true }],
    })
  })

  it('applies a signature only to its own provider', () => {
    const backtest = new Backtest([{ pattern: 'flux', class: 'transient', provider: 'other' }])
    backtest.add({ failure: limited, provider: 'acme' })
    expect(backtest.report.matched).toBe(0)
  })

  it('does not touch failures that Mulligan itself caused', () => {
    const aborted = classify('flux', { own: { aborted: true } }) as Failure
    const backtest = new Backtest([{ pattern: 'flux', class: 'transient' }])
    backtest.add({ failure: aborted })
    expect(backtest.report.matched).toBe(0)
  })

  it('counts no flip if a labelled failure was wrong before', () => {
    const backtest = new Backtest([{ pattern: 'flux', class: 'throttle' }])
    backtest.add({ input: 'the flux capacitor is detuned', context: {}, expected: 'throttle' })
    expect(backtest.report).toMatchObject({ flips: 0, matched: 1 })
    backtest.add({ input: 'Error: 401 Unauthorized: flux', context: {}, expected: 'permanent' })
    expect(backtest.report).toMatchObject({ flips: 1 })
  })
})

describe('similarity', () => {
  it('is 1 if only numbers and ids differ, 0 for different words, and symmetric', () => {
    expect(similarityOf('flux 12 is low at /srv/a/b', 'Flux 99 is low at /opt/c/d')).toBe(1)
    expect(similarityOf('flux is low', 'plasma drained early')).toBe(0)
    expect(similarityOf('flux is low', 'flux was low')).toBe(similarityOf('flux was low', 'flux is low'))
    expect(similarityOf('', '')).toBe(0)
  })

  it('finds the nearest, nearest first, and ignores weak matches', () => {
    const known = ['flux is very low', 'flux is low', 'nothing alike'].map(text => ({ text, value: text }))
    expect(nearestOf('flux is low', known).map(({ value }) => value)).toEqual([
      'flux is low',
      'flux is very low',
    ])
  })
})
