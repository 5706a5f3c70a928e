import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampled } from '../../test/sampled.ts'
import { exampleCircumstances } from '../../test/verdict/example.ts'
import { inputOf } from '../cli/develop/corpus.ts'
import { classify } from '../failure/classify.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { decide, type Policies } from '../verdict/decide.ts'
import { PRESETS } from '../verdict/presets/presets.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { call } from './call.ts'
import type { CallFailed } from './call-failed.ts'
import type { CallContext } from './context.ts'
import type { CallOptions } from './options.ts'

const overloaded = Object.assign(new Error('Overloaded'), { status: 529 })

/** Runs a call to its end; its own clock skips the waits. */
function ending(work: (context: CallContext) => unknown, options: CallOptions) {
  const time = new FakeTime()
  const ended = call(async context => work(context), { time, random: () => 0, ...options }).then(
    result => ({ result, error: undefined }),
    (error: CallFailed) => ({ result: undefined, error }),
  )
  return time.until(ended)
}

/** Work of two steps: the first takes effect, the second is refused. */
function charging(error: unknown = overloaded) {
  const charges: number[] = []
  const work = ({ attempt }: CallContext) => {
    charges.push(attempt)
    throw error
  }
  return { charges, work }
}

const always = (verdict: Verdict) => () => verdict
const again: Verdict = { action: 'retry', delayMs: 0, mode: 'again', reason: 'r', rule: 'r' }

describe('a call whose work is not repeatable', () => {
  it('is not run twice because its last request was refused', async () => {
    const { charges, work } = charging()
    const { error } = await ending(work, { retry: 'none' })
    expect(charges).toEqual([1])
    expect(error).toMatchObject({
      failure: { class: 'transient', effect: 'maybe' },
      verdict: { action: 'cancel', as: 'unverifiable' },
      attempts: [{ failure: { effect: 'maybe' } }],
    })
  })

  it('says what would allow a second try', async () => {
    const { error } = await ending(charging().work, { retry: 'none' })
    expect(error?.verdict.reason).toContain(
      'if it is one request, set atomic = true; if running it twice is harmless, set retry = "replay"',
    )
    const lost = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    const open = await ending(charging(lost).work, { retry: 'none' })
    expect(open.error?.verdict.reason).toContain('(if running it twice is harmless, set retry = "replay")')
    const committed = await ending(
      context => {
        context.committed()
        throw overloaded
      },
      { retry: 'none', atomic: true },
    )
    expect(committed.error?.verdict.reason).toContain(
      '(if running it twice is harmless, set retry = "replay")',
    )
    const elsewhere: CallOptions = { retry: 'none', pool: ['a', 'b'] }
    const refused = Object.assign(new Error('invalid x-api-key'), { status: 401 })
    const loggedOut = await ending(charging(refused).work, elsewhere)
    expect(loggedOut.error?.verdict.reason).toContain('if it is one request, set atomic = true')
  })

  it.each<[string, Policies]>([
    ['a policy that insists', always(again)],
    ['a policy that fails over', always({ action: 'failover', reason: 'r', rule: 'r' })],
    ...Object.values(PRESETS).map(preset => [`the preset ${preset.name}`, preset] as [string, Policies]),
  ])('is run once even by %s', async (_name, policy) => {
    const { charges, work } = charging()
    await ending(work, { retry: 'none', policy, pool: ['a', 'b'], maxRetries: 5 })
    expect(charges).toEqual([1])
  })

  it('is tried again when it is atomic and was refused', async () => {
    const { charges, work } = charging()
    await ending(work, { retry: 'none', atomic: true })
    expect(charges).toEqual([1, 2, 3])
  })

  it('is not tried again when it is atomic and may have been done', async () => {
    const { charges, work } = charging(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }))
    await ending(work, { retry: 'none', atomic: true })
    expect(charges).toEqual([1])
  })

  it('is not tried again once it has committed, atomic or not', async () => {
    const charges: number[] = []
    await ending(
      ({ attempt, committed }) => {
        charges.push(attempt)
        committed()
        throw overloaded
      },
      { retry: 'none', atomic: true },
    )
    expect(charges).toEqual([1])
  })

  it('has done nothing if it was aborted before it began', async () => {
    const controller = new AbortController()
    let begun = 0
    const { error } = await ending(() => begun++, {
      retry: 'none',
      signal: controller.signal,
      onEvent: ({ type }) => {
        if (type === 'attempt.started') controller.abort()
      },
    })
    expect(begun).toBe(0)
    expect(error?.failure).toMatchObject({ class: 'aborted', effect: 'none' })
  })

  it('begins a second try only if every earlier try provably did nothing', async () => {
    const failures = fc.oneof(
      fc.record({ status: fc.constantFrom(400, 401, 402, 408, 429, 500, 503, 529), message: fc.string() }),
      fc
        .constantFrom('ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND')
        .map(code => Object.assign(new Error(code), { code })),
      fc.anything(),
    )
    const policies = fc.oneof(
      fc.constant(undefined),
      fc.constantFrom(...Object.values(PRESETS)),
      fc.constant(always(again)),
      fc.constant(always({ action: 'failover', reason: 'r', rule: 'r' })),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ failure: failures, commits: fc.boolean() }), { minLength: 1, maxLength: 4 }),
        policies,
        fc.boolean(),
        fc.constantFrom(undefined, ['a', 'b']),
        async (script, policy, atomic, pool) => {
          let tries = 0
          const provablyNothing: boolean[] = []
          await ending(
            ({ committed }) => {
              const { failure, commits } = script[tries++ % script.length] as (typeof script)[number]
              if (commits) committed()
              const refused = classify(failure, { now: 0 })?.effect === 'none'
              provablyNothing.push(atomic && !commits && refused)
              throw failure
            },
            { retry: 'none', atomic, maxRetries: 3, ...(policy && { policy }), ...(pool && { pool }) },
          )
          expect(provablyNothing.slice(0, -1).every(Boolean)).toBe(true)
        },
      ),
      { numRuns: sampled(300) },
    )
  })
})

describe('a call whose work is repeatable', () => {
  const entries = readFileSync(new URL('../../corpus/own.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
    .filter(({ surface }) => surface === 'sdk' || surface === 'http' || surface === 'system')

  it(`is decided by the classifier's effect, on ${entries.length} real failures`, async () => {
    let compared = 0
    for (const entry of entries) {
      const [input] = inputOf(entry, { withProvider: false })
      const time = new FakeTime()
      // As the call does: output that misses its schema is the model's doing there, not the caller's.
      const failure = classify(input, { now: time.now(), ofModel: true })
      if (!failure) continue
      const { error } = await ending(
        () => {
          throw input
        },
        { time, maxRetries: 0 },
      )
      expect(error?.attempts[0]?.failure?.effect, entry.id).toBe(failure.effect)
      const circumstances = exampleCircumstances({
        now: time.now(),
        random: 0,
        maxRetries: 0,
        retriesAsked: true,
        backoff: 'fullJitter',
        maxSnoozes: Infinity,
        remainingMs: Infinity,
        minRetryBudgetMs: 0,
      })
      expect(error?.verdict, entry.id).toEqual(decide(failure, circumstances))
      compared++
    }
    expect(compared).toBeGreaterThan(300)
  })
})
