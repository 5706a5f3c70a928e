import { describe, expect, it } from 'vitest'
import type { Classifier, ClassifierProblem } from './classifier.ts'
import { classify } from './classify.ts'
import type { Failure } from './failure.ts'
import { KnownFailure } from './own-error.ts'

const NOW = Date.UTC(2026, 0, 1)
const busy = Object.assign(new Error('come back tomorrow'), { status: 500 })

function asked(classifier: Classifier, input: unknown = busy, more: object = {}) {
  const problems: ClassifierProblem[] = []
  const failure = classify(input, {
    provider: 'acme',
    now: NOW,
    classifier,
    onClassifierProblem: problem => void problems.push(problem),
    ...more,
  })
  return { failure, problems }
}

describe("the user's classifier", () => {
  it('decides, and the built-in one fills in the rest', () => {
    const builtIn = classify(busy, { provider: 'acme', now: NOW }) as Failure
    const { failure, problems } = asked(function tomorrow() {
      return { kind: 'quota', retryAfterMs: 5_000 }
    })
    expect(problems).toEqual([])
    expect(failure).toMatchObject({
      class: 'throttle',
      kind: 'quota',
      effect: builtIn.effect,
      message: builtIn.message,
      status: 500,
      retryAfterMs: 5_000,
      resetAt: NOW + 5_000,
      fingerprint: builtIn.fingerprint,
      evidence: { rule: 'classifier:tomorrow', lost: [{ rule: builtIn.evidence.rule }] },
    })
  })

  it('is given the provider and the built-in answer', () => {
    // Asserted after the call, because what a classifier throws is caught.
    const heard: unknown[] = []
    asked((...question) => void heard.push(question))
    expect(heard).toEqual([
      [
        busy,
        {
          provider: 'acme',
          now: NOW,
          returned: false,
          builtIn: classify(busy, { provider: 'acme', now: NOW }),
        },
      ],
    ])
  })

  it('has its message reduced to one short line without secrets or control characters', () => {
    const message = `busy\n\u001b[31m sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 ${'x'.repeat(100_000)}`
    const { failure } = asked(() => ({ class: 'throttle', message }))
    expect(failure?.message).toMatch(/^busy \*\*\*REDACTED\*\*\*/)
    expect(failure?.message.length).toBeLessThanOrEqual(300)
  })

  it('abstains by returning undefined', () => {
    const { failure, problems } = asked(() => undefined)
    expect(failure).toEqual(classify(busy, { provider: 'acme', now: NOW }))
    expect(problems).toEqual([])
  })

  it('may return the built-in answer with a field changed', () => {
    const { failure, problems } = asked((_, { builtIn }) => builtIn && { ...builtIn, effect: 'none' })
    expect(problems).toEqual([])
    expect(failure).toMatchObject({ class: 'transient', effect: 'none' })
  })

  it('gets the most general kind of a class given alone, or the built-in kind if it fits', () => {
    expect(asked(() => ({ class: 'permanent' })).failure).toMatchObject({ kind: 'invalid_request' })
    expect(asked(() => ({ class: 'transient' })).failure).toMatchObject({ kind: 'server_error' })
  })

  it('sees returned values, and may call them failures or not', () => {
    const value = { ok: true, detail: 'half of it' }
    expect(asked(() => ({ kind: 'bad_json' }), value, { returned: true }).failure).toMatchObject({
      class: 'transient',
      kind: 'bad_json',
    })
    const failed = { error: 'rate limited' }
    expect(classify(failed, { returned: true })).not.toBeNull()
    expect(asked(() => null, failed, { returned: true })).toEqual({ failure: null, problems: [] })
  })

  it('makes a value that it calls a failure read as one, with everything known about the call', () => {
    const value = { ok: true, detail: 'half of it' }
    const { failure } = asked(() => ({ kind: 'bad_json' }), value, { returned: true })
    expect(failure).toMatchObject({ provider: 'acme', message: 'half of it' })
  })

  it.each([
    [{ timedOut: true }, 'timeout'],
    [{ aborted: true }, 'aborted'],
    [{ rail: 'max_turns' }, 'rail'],
    [{ aborted: false, timedOut: false }, 'throttle'],
  ])('is not asked about what the caller itself did: %j', (own, cls) => {
    expect(asked(() => ({ kind: 'quota' }), busy, { own }).failure?.class).toBe(cls)
  })

  it.each<[string, unknown, string]>([
    ['a text', 'throttle', 'is not a valid answer; return an object such as'],
    ['null for what was thrown', null, 'null is not a valid answer'],
    ['a promise', Promise.resolve(), 'it returned a promise; a classifier must be synchronous'],
    ['nothing that decides', { effect: 'none' }, 'an answer needs a class or a kind'],
    ['a class that is none', { class: 'flake' }, 'class must be one of throttle, transient'],
    ['a kind that is none', { kind: 'ratelimit' }, 'kind must be a kind of failure'],
    ['an effect that is none', { class: 'throttle', effect: 'perhaps' }, 'effect must be one of none, maybe'],
    [
      'a wait that is none',
      { class: 'throttle', retryAfterMs: -1 },
      'retryAfterMs must be a number of at least 0',
    ],
    ['a time that is none', { class: 'throttle', resetAt: 'noon' }, 'resetAt must be epoch milliseconds'],
    ['an empty message', { class: 'throttle', message: '' }, 'message must be a non-empty string'],
    ['a field that is none', { class: 'throttle', retry: true }, 'unknown field "retry"; known: class, kind'],
  ])('that answers %s is reported, and the built-in one decides', (_, answer, problem) => {
    const { failure, problems } = asked(function mine() {
      return answer as never
    })
    expect(failure).toEqual(classify(busy, { provider: 'acme', now: NOW }))
    expect(problems).toEqual([{ classifier: 'mine', problem: expect.stringContaining(problem) }])
  })

  it('that throws is reported by name, without secrets, and the built-in one decides', () => {
    const { failure, problems } = asked(function broken() {
      throw new Error('no field in sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789')
    })
    expect(failure).toMatchObject({ class: 'transient' })
    expect(problems).toEqual([
      { classifier: 'broken', problem: expect.stringContaining('it threw Error: no field') },
    ])
    expect(JSON.stringify(problems)).not.toContain('abcdefghij')
  })

  it('that is asynchronous and rejects does not end the process', async () => {
    const late = (async () => {
      throw new Error('late')
    }) as unknown as Classifier
    expect(asked(late)).toMatchObject({ failure: { class: 'transient' }, problems: [{ classifier: 'late' }] })
    await Promise.resolve()
  })

  it('is asked about an already classified failure, but cannot take back its effect', () => {
    const known = { ...(classify(busy) as Failure), effect: 'maybe' as const }
    const classifier: Classifier = () => ({ class: 'throttle', effect: 'none' })
    expect(classify(new KnownFailure(known), { classifier })).toMatchObject({
      class: 'throttle',
      effect: 'maybe',
    })
    const harmless = { ...known, effect: 'none' as const }
    const doubts: Classifier = () => ({ class: 'throttle', effect: 'maybe' })
    expect(classify(new KnownFailure(harmless), { classifier: doubts })).toMatchObject({ effect: 'maybe' })
  })

  it('is asked about an already classified failure', () => {
    const known = classify(busy) as Failure
    const heard: unknown[] = []
    classify(new KnownFailure(known), {
      provider: 'acme',
      classifier: (_, question) => void heard.push(question),
    })
    expect(heard).toEqual([{ provider: 'acme', returned: false, builtIn: { ...known, provider: 'acme' } }])
  })
})
