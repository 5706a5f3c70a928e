import { describe, expect, it } from 'vitest'
import { exampleFailure as failure, exampleCircumstances as given } from '../../test/verdict/example.ts'
import { answerTo, decide } from './decide.ts'
import type { PolicyLike, PolicyProblem } from './policy.ts'
import { isSucceeded, problemOfSucceeded } from './succeeded.ts'

const refused = failure('permanent', 'invalid_request')

function ask(...policies: PolicyLike[]) {
  const problems: PolicyProblem[] = []
  const answer = answerTo(refused, given(), policies, problem => problems.push(problem))
  return { answer, problems }
}

describe('the answer that the work succeeded', () => {
  it.each<[unknown, boolean]>([
    [{ succeeded: 1, reason: 'there' }, true],
    [{ succeeded: undefined, reason: 'there' }, true],
    [{ succeeded: 1, action: 'retry' }, false],
    [{ action: 'failover' }, false],
    [null, false],
    [undefined, false],
    ['succeeded', false],
  ])('is recognised by its field: %j is %s', (answer, expected) => {
    expect(isSucceeded(answer)).toBe(expected)
  })

  it('is taken from a policy, with its name', () => {
    const policy = { name: 'mine', verdict: () => ({ succeeded: { id: 7 }, reason: 'it is there' }) }
    expect(ask(policy)).toEqual({
      answer: { by: 'policy mine', succeeded: { id: 7 }, reason: 'it is there' },
      problems: [],
    })
  })

  it('of a policy without a name says so', () => {
    const { answer } = ask({ verdict: () => ({ succeeded: null, reason: 'it is there' }) })
    expect(answer).toMatchObject({ by: 'policy without a name', succeeded: null })
  })

  it('keeps `by` if the policy sets it', () => {
    const { answer } = ask({ name: 'mine', verdict: () => ({ succeeded: 1, reason: 'x', by: 'the ledger' }) })
    expect(answer).toMatchObject({ by: 'the ledger' })
  })

  it.each<[string, object, string]>([
    ['no reason', { succeeded: 1 }, 'a success needs a reason'],
    ['an empty reason', { succeeded: 1, reason: '' }, 'a success needs a reason'],
    ['a reason that is no text', { succeeded: 1, reason: 3 }, 'a success needs a reason'],
    ['a function', { succeeded: () => 1, reason: 'x' }, 'a function cannot be a result'],
    ['a promise', { succeeded: Promise.resolve(1), reason: 'x' }, 'a promise cannot be a result'],
  ])('with %s is reported, and the next level decides', (_title, given, problem) => {
    const { answer, problems } = ask({ name: 'mine', verdict: () => given as never })
    expect(answer).toMatchObject({ rule: 'default:permanent' })
    expect(problems).toEqual([{ policy: 'mine', member: 'verdict', problem }])
  })

  it.each([undefined, null, 0, '', { id: 1 }])('may be any value: %j', succeeded => {
    expect(problemOfSucceeded({ succeeded, reason: 'x' })).toBeUndefined()
  })

  it('is refused outside the answer to a failed try', () => {
    const problems: PolicyProblem[] = []
    const policy = { name: 'mine', verdict: () => ({ succeeded: 1, reason: 'x' }) as never }
    expect(decide(refused, given(), policy, found => problems.push(found)).rule).toBe('default:permanent')
    expect(problems[0]?.problem).toContain('only the answer to a failed try')
  })
})

describe('a verdict as the answer to a failed try', () => {
  it('comes from the first policy that gives one', () => {
    const verdict = { action: 'failover', reason: 'x', rule: 'mine' } as const
    expect(ask({ name: 'health only', health: () => ({ breaker: 'none' }) }, () => verdict).answer).toBe(
      verdict,
    )
  })

  it('is checked like any other', () => {
    const { answer, problems } = ask({ name: 'mine', verdict: () => ({ action: 'retry' }) as never })
    expect(answer).toMatchObject({ rule: 'default:permanent' })
    expect(problems).toHaveLength(1)
  })

  it('comes from the default policy if there is no other', () => {
    expect(answerTo(refused, given())).toMatchObject({ action: 'cancel', rule: 'default:permanent' })
  })
})
