import { describe, expect, it } from 'vitest'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { PolicyProblem } from '../verdict/policy.ts'
import { call } from './call.ts'

const time = new FakeTime()
const options = { time, random: () => 0 }
const refusal = (code: string) => Object.assign(new Error('no'), { code })

describe('a call whose policy knows the result', () => {
  it('resolves with it, and reports this', async () => {
    const types: string[] = []
    const { value, attempts } = await time.until(
      call(() => Promise.reject(refusal('THERE')), {
        ...options,
        policy: () => ({ succeeded: 'there', reason: 'it was there already' }),
        onEvent: ({ type }) => void types.push(type),
      }),
    )
    expect(value).toBe('there')
    expect(attempts).toMatchObject([{ failure: { code: 'THERE' } }])
    expect(types).toEqual(['attempt.started', 'attempt.answered', 'settled'])
  })

  it('is reported if it answers with a promise, and the default policy decides', async () => {
    const problems: PolicyProblem[] = []
    const failing = call(() => Promise.reject(refusal('THERE')), {
      ...options,
      policy: { name: 'late', verdict: () => ({ succeeded: Promise.resolve(1), reason: 'soon' }) },
      onPolicyProblem: problem => void problems.push(problem),
    })
    await expect(time.until(failing)).rejects.toMatchObject({ verdict: { action: 'cancel' } })
    expect(problems).toContainEqual({
      policy: 'late',
      member: 'verdict',
      problem: 'a promise cannot be a result',
    })
  })
})
