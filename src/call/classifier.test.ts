import { describe, expect, it } from 'vitest'
import type { Classifier } from '../failure/classifier.ts'
import { KnownFailure } from '../failure/own-error.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { PolicyProblem } from '../verdict/policy.ts'
import { call } from './call.ts'
import { council } from './council.ts'

const time = new FakeTime()
const options = { time, random: () => 0 }
const refusal = (code: string) => Object.assign(new Error('no'), { code })

describe('a call with its own classifier', () => {
  it('treats a failure as the classifier says', async () => {
    let tries = 0
    const work = () => {
      if (++tries < 3) throw refusal('BUSY')
      return 'done'
    }
    const classifier = (input: unknown) =>
      (input as { code?: unknown }).code === 'BUSY' ? ({ kind: 'overloaded' } as const) : undefined
    const { value, attempts } = await time.until(call(work, { ...options, classifier }))
    expect({ value, tries }).toEqual({ value: 'done', tries: 3 })
    expect(attempts[0]?.failure).toMatchObject({
      class: 'transient',
      evidence: { rule: 'classifier:classifier' },
    })
    const gone = call(() => Promise.reject(refusal('GONE')), { ...options, classifier })
    await expect(time.until(gone)).rejects.toMatchObject({ failure: { class: 'unknown' } })
  })

  it('lets it read returned values, unless soft failures are off', async () => {
    const classifier = () => ({ kind: 'invalid_request' }) as const
    const work = () => ({ rows: [] })
    await expect(time.until(call(work, { ...options, classifier }))).rejects.toMatchObject({
      failure: { kind: 'invalid_request' },
    })
    const { value } = await time.until(call(work, { ...options, classifier, softFailures: false }))
    expect(value).toEqual({ rows: [] })
  })

  it('asks it about failures that were classified where they happened', async () => {
    const { failure } = (await time.until(
      call(() => Promise.reject(refusal('X')), options).catch(error => error),
    )) as {
      failure: KnownFailure['failure']
    }
    const known = new KnownFailure({ ...failure, class: 'transient', kind: 'overloaded' })
    const classifier = () => ({ kind: 'content_policy' }) as const
    await expect(
      time.until(call(() => Promise.reject(known), { ...options, classifier })),
    ).rejects.toMatchObject({ failure: { class: 'permanent', kind: 'content_policy' } })
  })

  it('reports a throwing classifier by name, and uses the built-in one', async () => {
    const problems: PolicyProblem[] = []
    const failing = call(() => Promise.reject(Object.assign(new Error('no'), { status: 400 })), {
      ...options,
      classifier: function mine() {
        throw new TypeError('undefined is not a function')
      },
      onPolicyProblem: problem => void problems.push(problem),
    })
    await expect(time.until(failing)).rejects.toMatchObject({ failure: { kind: 'invalid_request' } })
    expect(problems).toEqual([
      { policy: 'mine', member: 'classifier', problem: 'it threw TypeError: undefined is not a function' },
    ])
  })

  it('is passed on by a council to all its members', async () => {
    let tries = 0
    const ask = () => {
      if (++tries === 1) throw refusal('BUSY')
      return 'yes'
    }
    const classifier: Classifier = input => (input instanceof Error ? { kind: 'overloaded' } : undefined)
    const others = ['b', 'c'].map(name => ({ name, ask: () => 'yes' }))
    const asked = async (given: Classifier) => {
      tries = 0
      const members = [{ name: 'a', ask }, ...others]
      return time.until(council(members, { ...options, prompt: 'well?', quorum: 2, classifier: given }))
    }
    expect((await asked(() => undefined)).failures).toMatchObject([{ member: 'a' }])
    expect((await asked(classifier)).failures).toEqual([])
  })

  it('refuses one that is not a function', async () => {
    await expect(call(() => 1, { classifier: {} as never })).rejects.toThrow(
      'call: classifier must be a function',
    )
  })
})
