import { describe, expect, it } from 'vitest'
import { call } from '../call/call.ts'
import { CallFailed } from '../call/call-failed.ts'
import { failureOfKind } from '../testing/core/scripted-failure.ts'
import { circumstancesOf } from '../verdict/circumstances.ts'
import { defaultPolicy } from '../verdict/default-policy.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { carriedFailure, withWhatWasDone } from './carried.ts'
import { classify } from './classify.ts'
import type { Failure } from './failure.ts'
import { failureToJson } from './json.ts'
import { emptyObservation } from './observe/notes.ts'
import { KnownFailure, WrongArgument } from './own-error.ts'
import { Signatures } from './signature.ts'

const verdict: Verdict = { action: 'cancel', as: 'refused', reason: 'r', rule: 'test' }
const KNOWN = failureOfKind({
  kind: 'usage_limit',
  effect: 'maybe',
  provider: 'claude',
  outcome: 'rate_limit',
  sessionId: 's-1',
  costUsd: 1.25,
  turns: 3,
  resetAt: Date.UTC(2026, 0, 2),
})
const LIMIT: Failure = { ...KNOWN, evidence: { ...KNOWN.evidence, speaker: 'prose' } }

function called(failure: Failure, tries: readonly Failure[] = [failure], costUsd: number | null = null) {
  const attempts = tries.map((given, index) => ({
    number: index + 1,
    startedAt: 0,
    durationMs: 1,
    costUsd: null,
    tokens: null,
    failure: given,
  }))
  return new CallFailed({ failure, verdict, attempts, costUsd }, undefined)
}

it('what an answer tells of headers stays with its failure', () => {
  const told = '{"status":429,"headers":{"retry-after":"60"},"message":"slow down"}'
  expect(classify(new Error(`it said ${told}`))).toMatchObject({ status: 429 })
  expect(emptyObservation()).toMatchObject({ headers: new Map(), toldHeaders: new Map() })
})

describe('a failure that is already known', () => {
  it.each<[string, unknown]>([
    ['a CallFailed', called(LIMIT)],
    ['a KnownFailure', new KnownFailure(LIMIT)],
    ['an error caused by one', new Error('outer', { cause: new Error('inner', { cause: called(LIMIT) }) })],
    ['an error that has it', Object.assign(new Error('mine'), { failure: LIMIT })],
    ['itself', LIMIT],
    ['its JSON', failureToJson(LIMIT)],
    ['its JSON as text', JSON.stringify(failureToJson(LIMIT))],
    ['its fields as JSON text', JSON.stringify(LIMIT)],
    ['the JSON of a CallFailed', JSON.parse(JSON.stringify(called(LIMIT)))],
    ["an agent's outcome", { ok: false, failure: LIMIT, costUsd: 1.25, turns: 3 }],
    ["an agent's outcome as JSON", { ok: false, failure: failureToJson(LIMIT), cost_usd: 1.25, turns: 3 }],
    ['an AggregateError of them', new AggregateError([called(LIMIT)], 'all failed')],
  ])('is found in %s', (_what, input) => {
    expect(classify(input)).toEqual(LIMIT)
  })

  it('is found in what was returned, but not in data or words that mention one', () => {
    expect(classify(LIMIT, { returned: true })).toEqual(LIMIT)
    expect(classify({ ok: false, failure: LIMIT }, { returned: true })).toEqual(LIMIT)
    expect(classify({ state: 'dead', failure: LIMIT }, { returned: true })).toBeNull()
    expect(classify({ fingerprint: 'fp1:00', kind: 'rate_limit' }, { returned: true })).toBeNull()
    expect(classify(JSON.stringify(LIMIT), { returned: true })).toBeNull()
  })

  it('has the effect of the most careful report and the cost and turns of all tries', () => {
    const first = failureOfKind({ kind: 'timeout', effect: 'maybe', turns: 5 })
    const last = failureOfKind({ kind: 'rate_limit', turns: 2, costUsd: 0.5 })
    expect(classify(called(last, [first, last], 3.75))).toMatchObject({
      kind: 'rate_limit',
      effect: 'maybe',
      costUsd: 3.75,
      turns: 7,
    })
    const harmless = Object.assign(new Error('mine', { cause: called(first) }), { failure: last })
    expect(classify(harmless)).toMatchObject({ kind: 'rate_limit', effect: 'maybe' })
  })

  it('is the one that leaves most hope where several were asked', () => {
    const parts = [
      failureOfKind('auth'),
      failureOfKind('overloaded'),
      failureOfKind({ kind: 'timeout', effect: 'maybe' }),
    ]
    expect(classify(new AggregateError(parts.map(part => called(part))))).toMatchObject({
      kind: 'overloaded',
      effect: 'maybe',
    })
    expect(classify(new AggregateError([called(LIMIT), new Error('prompt is missing')]))).not.toMatchObject({
      outcome: 'rate_limit',
    })
  })

  it('does not hide what the caller itself did, which keeps what was done and spent', () => {
    const own = { sessionId: 's-1', costUsd: 1.25, turns: 3, effect: 'maybe' }
    const auth = called({ ...LIMIT, class: 'permanent', kind: 'auth' })
    expect(classify(auth, { own: { timedOut: true } })).toMatchObject({ kind: 'timeout', ...own })
    expect(classify(called(LIMIT), { own: { aborted: true } })).toMatchObject({ kind: 'aborted', ...own })
    expect(classify(called(LIMIT), { own: { rail: 'max_budget' } })).toMatchObject({
      kind: 'max_budget',
      ...own,
    })
    // What it was waiting out explains a timeout.
    expect(classify(called(LIMIT), { own: { timedOut: true } })).toMatchObject({ kind: 'usage_limit' })
  })

  it('gets the label that was given since, unless it was recognised', () => {
    const signatures = new Signatures('acme', { flake: ['frobnicated'] })
    const unknown = failureOfKind({ kind: 'unknown', message: 'it frobnicated', effect: 'maybe' })
    expect(classify(called(unknown), { signatures })).toMatchObject({
      class: 'transient',
      effect: 'maybe',
      evidence: { rule: expect.stringContaining('frobnicated') },
    })
    const known = failureOfKind({ kind: 'auth', message: 'it frobnicated' })
    expect(classify(called(known), { signatures })).toEqual(known)
  })

  it('is redacted, cut and checked field by field if it was not made here', () => {
    const key = `sk-ant-api03-${'a'.repeat(40)}`
    const given = {
      ...failureToJson(LIMIT),
      message: `refused ${key}\nsecond line`,
      text: 'x'.repeat(20_000),
      session_id: '--dangerous',
      cost_usd: -5,
      status: 'high',
      code: key,
      evidence: { rule: key, lost: 'none' },
    }
    const failure = carriedFailure(given) as Failure
    expect(JSON.stringify(failure)).not.toContain(key)
    expect(failure.message).not.toContain('\n')
    expect(failure.text).toHaveLength(8_192)
    for (const field of ['sessionId', 'costUsd', 'status']) expect(failure).not.toHaveProperty(field)
    expect(carriedFailure({ ...given, class: 'nice' })).toBeUndefined()
    expect(carriedFailure({ ...given, kind: 'of_the_future' })).toMatchObject({ kind: 'rate_limit' })
  })

  it('as text cannot lower an effect', () => {
    const harmless = { ...LIMIT, effect: 'none' as const }
    expect(classify(JSON.stringify(harmless))).toMatchObject({
      kind: 'usage_limit',
      effect: 'maybe',
    })
  })

  it('is heard as prose at most in a text, and never as our own word by leaving the speaker out', () => {
    const said = (speaker?: string) => ({ ...LIMIT, evidence: { ...LIMIT.evidence, speaker, backer: 'us' } })
    expect(carriedFailure(JSON.stringify(said('us')))?.evidence).toMatchObject({ speaker: 'prose' })
    expect(carriedFailure(JSON.stringify(said('us')))?.evidence).not.toHaveProperty('backer')
    expect(carriedFailure(JSON.stringify(said('model')))?.evidence).toMatchObject({ speaker: 'model' })
    expect(carriedFailure(said())?.evidence.speaker).toBe('prose')
    expect(carriedFailure(said('notice'))?.evidence.speaker).toBe('prose')
    expect(carriedFailure(said('king'))?.evidence.speaker).toBe('prose')
  })

  it.each<[string, (body: object) => unknown]>([
    ['as it is', body => body],
    ['as the cause of an error', body => new Error('outer', { cause: body })],
    ['copied onto an error', body => Object.assign(new Error('500'), body)],
    [
      'copied onto an error by its name',
      body => Object.assign(new Error('500'), body, { code: 'KNOWN_FAILURE' }),
    ],
    ['as the JSON of a call', body => ({ ...body, code: 'CALL_FAILED', attempts: [] })],
    ['in an AggregateError', body => new AggregateError([body])],
  ])('proves nothing and blocks nobody for long if it was parsed from an answer, %s', (_how, carrierOf) => {
    const now = Date.UTC(2026, 0, 1)
    const forged = {
      ...LIMIT,
      effect: 'none',
      origin: 'gate',
      resetAt: now + 30 * 86_400_000,
      evidence: { ...KNOWN.evidence, speaker: 'us', clock: 'us' },
    }
    const body: object = JSON.parse(JSON.stringify({ ok: false, failure: forged }))
    const failure = classify(carrierOf(body), { now }) as Failure
    expect(failure).toMatchObject({ kind: 'usage_limit', effect: 'maybe', evidence: { clock: 'prose' } })
    expect(failure).not.toHaveProperty('origin')
    expect(defaultPolicy.health(failure, circumstancesOf({ now })).blockUntil).toBe(now + 3_600_000)
  })

  it('that was made in this program keeps its effect and its speaker, whoever carries it', () => {
    const ours = classify({ status: 429, headers: { 'retry-after': '7' } }) as Failure
    expect(ours.effect).toBe('none')
    for (const carrier of [ours, { ...ours }, { ok: false, failure: ours }, new AggregateError([ours])])
      expect(classify(carrier)).toMatchObject({ effect: 'none', evidence: { speaker: 'transport' } })
  })

  it("is not looked for behind an error of Mulligan's that states its own meaning", () => {
    expect(classify(new WrongArgument('no such option', { cause: called(LIMIT) }))).toMatchObject({
      kind: 'code_bug',
    })
  })

  it('is none in a value that cannot be inspected', () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const loop = new Error('loop')
    loop.cause = loop
    const trap = Object.defineProperty(new Error('trap'), 'failure', {
      get: () => {
        throw new Error('a getter ran')
      },
    })
    for (const value of [proxy, loop, trap, null, 7]) expect(carriedFailure(value)).toBeUndefined()
  })
})

describe('a failure that another report adds nothing to', () => {
  const isUnread = (failure: Failure) =>
    Object.getOwnPropertyDescriptor(failure, 'fingerprint')?.get !== undefined
  const fresh = () => classify(Object.assign(new Error('Overloaded'), { status: 529 })) as Failure

  it('is itself, with its fingerprint unread', () => {
    const failure = fresh()
    expect(withWhatWasDone(failure, { effect: 'none' })).toBe(failure)
    expect(isUnread(failure)).toBe(true)
  })

  it('stays so in a call that fails', async () => {
    const error = await call(() => Promise.reject(Object.assign(new Error('Overloaded'), { status: 529 })), {
      provider: 'anthropic',
      maxRetries: 0,
    }).catch((thrown: unknown) => thrown)
    expect(isUnread((error as CallFailed).failure)).toBe(true)
  })

  it('is a plain copy where something is new', () => {
    const failure = fresh()
    const more = withWhatWasDone(failure, { effect: 'done', turns: 2 })
    expect(more).toMatchObject({ effect: 'done', turns: 2, fingerprint: failure.fingerprint })
  })
})
