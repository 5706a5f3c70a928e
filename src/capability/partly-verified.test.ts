import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import { partlyVerified, partsNotVerified } from './partly-verified.ts'

describe('a result that verifies itself', () => {
  it.each<[unknown, string[]]>([
    [{ success: true, verified: { line: true, note: 'verified' } }, []],
    [{ verified: { line: 'absent', note: 'verified' } }, ['line']],
    [{ verified: { line: 'indeterminate', note: null } }, ['line', 'note']],
    [{ verified: { line: 'partial', note: false } }, ['line', 'note']],
    [{ verified: 'verified' }, []],
    [{ verified: ['line'] }, []],
    [{ verified: null }, []],
    [{ data: 1 }, []],
    ['text', []],
    [null, []],
  ])('%j lacks %j', (result, parts) => {
    expect(partsNotVerified(result)).toEqual(parts)
  })

  it.each(['replay', 'verify_first'] as const)(
    'is a transient failure under %s if a part is missing',
    retry => {
      const answer = partlyVerified({ retry }, { success: true, verified: { line: 'absent', note: true } })
      expect(classify(answer?.failed)).toMatchObject({
        class: 'transient',
        effect: 'maybe',
        message: 'not all of it could be verified; missing: line',
      })
    },
  )

  it.each<[string, unknown]>([
    ['has every part', { success: true, verified: { line: true, note: 'verified' } }],
    ['has no parts', { success: true, data: 'anything' }],
    ['does not say that it succeeded', { id: 5, verified: { email: false } }],
    [
      'has other things than states there',
      { success: true, verified: { email: false, since: '2026-01-01' } },
    ],
    ['is no object', 'verified'],
    ['is nothing', undefined],
  ])('counts if it %s', (_what, result) => {
    expect(partlyVerified({ retry: 'replay' }, result)).toBeUndefined()
  })

  it('counts if no other try is allowed', () => {
    expect(partlyVerified({ retry: 'none' }, { success: true, verified: { line: false } })).toBeUndefined()
  })
})
