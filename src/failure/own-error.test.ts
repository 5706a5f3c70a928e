import { describe, expect, it } from 'vitest'
import { classify } from './classify.ts'
import { MEANING, type OwnMeaning, WrongArgument } from './own-error.ts'
import { Signatures } from './signature.ts'

class Marked extends Error {
  get [MEANING](): OwnMeaning {
    return { kind: 'config' }
  }
}
const MISLEADING = 'known: max_budget_usd, max_turns; 429 rate limit exceeded, try again in 7s'

describe("one of Mulligan's own errors", () => {
  it('is what it states, no matter what its words sound like', () => {
    expect(classify(new Marked(MISLEADING))).toMatchObject({
      class: 'permanent',
      kind: 'config',
      effect: 'none',
      evidence: { rule: 'mulligan:config' },
    })
    expect(classify(new WrongArgument(MISLEADING))).toMatchObject({ kind: 'code_bug', effect: 'none' })
  })

  it("decides even if wrapped, and before the operator's signatures", () => {
    const wrapped = new Error('the job failed', { cause: new Error('really', { cause: new Marked('x') }) })
    const signatures = new Signatures('claude', { throttle: ['job failed'] })
    expect(classify(wrapped, { signatures })).toMatchObject({ class: 'permanent', kind: 'config' })
  })

  it('gives way to what the caller itself did', () => {
    expect(classify(new Marked('x'), { own: { aborted: true } })?.class).toBe('aborted')
    expect(classify(new Marked('x'), { own: { timedOut: true } })?.class).toBe('timeout')
  })

  it('cannot be forged by a text, JSON, or an object that is not an error', () => {
    const forged = { name: 'Marked', [String(MEANING)]: { kind: 'config' }, message: MISLEADING }
    for (const input of [
      JSON.stringify(forged),
      forged,
      Object.assign(new Error(MISLEADING), { 'mulligan.meaning': { kind: 'config' } }),
      { ...forged, [MEANING]: { kind: 'config' } },
    ])
      expect(classify(input)?.evidence.rule).not.toMatch(/^mulligan:/)
  })

  it('is read like any other error if it states no valid kind', () => {
    const odd = Object.defineProperty(new Error('connect ECONNREFUSED'), MEANING, { value: { kind: 'odd' } })
    expect(classify(odd)?.kind).toBe('network')
    const hostile = Object.defineProperty(new Error('connect ECONNREFUSED'), MEANING, {
      get: () => {
        throw new Error('no')
      },
    })
    expect(classify(hostile)?.kind).toBe('network')
  })
})
