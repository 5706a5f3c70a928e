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

describe('an error of ours', () => {
  it('is what it says, whatever its words sound like', () => {
    expect(classify(new Marked(MISLEADING))).toMatchObject({
      class: 'permanent',
      kind: 'config',
      effect: 'none',
      evidence: { rule: 'mulligan:config' },
    })
    expect(classify(new WrongArgument(MISLEADING))).toMatchObject({ kind: 'code_bug', effect: 'none' })
  })

  it('decides also where it is wrapped, and before the signatures of an operator', () => {
    const wrapped = new Error('the job failed', { cause: new Error('really', { cause: new Marked('x') }) })
    const signatures = new Signatures('claude', { throttle: ['job failed'] })
    expect(classify(wrapped, { signatures })).toMatchObject({ class: 'permanent', kind: 'config' })
  })

  it('gives way to what the caller did itself', () => {
    expect(classify(new Marked('x'), { own: { aborted: true } })?.class).toBe('aborted')
    expect(classify(new Marked('x'), { own: { timedOut: true } })?.class).toBe('timeout')
  })

  it('cannot be forged by a text, JSON, or an object that is no error', () => {
    const forged = { name: 'Marked', [String(MEANING)]: { kind: 'config' }, message: MISLEADING }
    for (const input of [
      JSON.stringify(forged),
      forged,
      Object.assign(new Error(MISLEADING), { 'mulligan.meaning': { kind: 'config' } }),
      { ...forged, [MEANING]: { kind: 'config' } },
    ])
      expect(classify(input)?.evidence.rule).not.toMatch(/^mulligan:/)
  })

  it('is read like any other if what it says is no kind', () => {
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
