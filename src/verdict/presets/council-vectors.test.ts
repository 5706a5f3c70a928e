import { describe, expect, it } from 'vitest'
import { type Vector, vectorsOf } from '../../../test/vectors.ts'
import { exampleFailure, exampleCircumstances as given } from '../../../test/verdict/example.ts'
import { classify } from '../../failure/classify.ts'
import type { Failure } from '../../failure/failure.ts'
import { decide } from '../decide.ts'
import { councilClass } from './council.ts'
import { PRESETS } from './presets.ts'

const now = 1_000_000

/** What a council member threw or returned, made from its description. */
function failureOf({ input }: Vector): Failure | null {
  const { where, error, status, session_error } = input as Record<string, unknown>
  if (where === 'raceWithTimeout') return classify(new Error('timed out'), { own: { timedOut: true }, now })
  if (session_error !== undefined) return classify({ error: session_error }, { now })
  if (where === 'data.info.error') return classify({ info: { role: 'assistant', error }, parts: [] }, { now })
  if (where === 'result.error') {
    const response = status === undefined ? {} : { response: { status } }
    return classify({ error, ...response }, { now })
  }
  const [[name, message] = ['Error', '']] = Object.entries(error as object)
  const code = (error as Record<string, unknown>)['cause.code']
  const cause = code === undefined ? undefined : { cause: Object.assign(new Error(''), { code }) }
  return classify(Object.assign(new Error(String(message), cause), { name }), { now })
}

describe('the council vectors', () => {
  it('takes a rate limit without a wait, or with one that fits, for transient, but not a used-up plan', () => {
    const remainingMs = 100_000
    const classOf = (value: unknown) =>
      councilClass(classify(value, { now }) as Failure, { now, remainingMs })
    expect(classOf(Object.assign(new Error('Too Many Requests'), { status: 429 }))).toBe('transient')
    expect(classOf(Object.assign(new Error('You have reached your usage limit'), { status: 429 }))).toBe(
      'permanent',
    )
    expect(classOf(Object.assign(new Error('insufficient_quota'), { status: 429 }))).toBe('permanent')
  })

  it.each(['connect', 'read'])(
    'takes ETIMEDOUT of the system (%s) for transient, and its own timer not',
    syscall => {
      const error = Object.assign(new Error(`${syscall} ETIMEDOUT`), { code: 'ETIMEDOUT', syscall })
      const remainingMs = 100_000
      expect(councilClass(classify(error, { now }) as Failure, { now, remainingMs })).toBe('transient')
      const own = classify(new Error('late'), { now, own: { timedOut: true } }) as Failure
      expect(councilClass(own, { now, remainingMs })).toBe('timeout')
    },
  )

  // opencode marks every 404 of one vendor as retryable, but a missing model does not appear by asking again.
  const DECIDED_OTHERWISE = new Set(['council.issue19_classify.api_404_openai_marked'])
  const classified = vectorsOf('council', 'issue19_classify').filter(
    ({ id, input }) => !DECIDED_OTHERWISE.has(id) && input.where !== 'createChildSession',
  )
  it.each(classified.map(vector => [vector.id, vector] as const))('%s', (_id, vector) => {
    const failure = failureOf(vector)
    const remainingMs = (vector.input.remaining_ms as number | undefined) ?? 100_000
    expect(failure && councilClass(failure, { now, remainingMs })).toBe(vector.expected.class)
  })

  const decided = vectorsOf('council', 'issue19_retry_decision').filter(
    ({ input }) => input.quorumReached !== true && input.hardCapTimedOut !== true,
  )
  it.each(decided.map(vector => [vector.id, vector] as const))('%s', (_id, { input, expected }) => {
    const { class: cls, attempt, councillor_ms, elapsed_ms } = input as Record<string, number | string>
    const kinds = { transient: 'overloaded', permanent: 'invalid_request', unknown: 'unknown' } as const
    const failure = exampleFailure(cls as 'transient', kinds[cls as 'transient'])
    const verdict = decide(
      failure,
      given({ now, retries: Number(attempt) - 1, remainingMs: Number(councillor_ms) - Number(elapsed_ms) }),
      PRESETS.council,
    )
    expect(verdict.action === 'retry').toBe(expected.retry)
  })
})
