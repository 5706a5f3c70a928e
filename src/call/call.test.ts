import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { NodeHealth as Health } from '../process/node-health.ts'
import type { Gate, GateRequest, Permit } from '../provider/gate.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { sleep } from '../time/time.ts'
import type { PolicyProblem } from '../verdict/policy.ts'
import { PRESETS } from '../verdict/presets/presets.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { call } from './call.ts'
import { CallFailed, isCallFailed } from './call-failed.ts'
import type { CallFunction } from './context.ts'
import type { CallEvent } from './event.ts'
import type { CallOptions } from './options.ts'

const HTTP = {
  overloaded: () => ({
    status: 529,
    error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  }),
  rateLimited: (seconds: number) =>
    Object.assign(new Error('429 Too Many Requests'), {
      status: 429,
      headers: { 'retry-after': String(seconds) },
    }),
  unauthorized: () => Object.assign(new Error('401 invalid x-api-key'), { status: 401 }),
  invalid: () =>
    Object.assign(new Error('400 invalid_request_error: max_tokens must be positive'), { status: 400 }),
  broke: () => Object.assign(new Error('Your credit balance is too low'), { status: 400 }),
}

/** Runs a call on fake time; returns how and when it ended, and its events. */
async function play<T>(work: CallFunction<T>, options: CallOptions = {}, time = new FakeTime()) {
  const events: CallEvent[] = []
  const startedAt = time.monotonic()
  const promise = call(work, { time, random: () => 0.5, onEvent: event => events.push(event), ...options })
  const outcome = await time.until(
    promise.then(
      result => ({ result, error: undefined }),
      (error: unknown) => ({ result: undefined, error }),
    ),
  )
  return {
    ...outcome,
    failed: outcome.error as CallFailed,
    events,
    elapsedMs: time.monotonic() - startedAt,
    time,
  }
}

/** Work that fails with each of these in turn, then succeeds. */
function failing(...errors: unknown[]): CallFunction<string> {
  const left = [...errors]
  return () => {
    if (left.length > 0) throw left.shift()
    return 'answer'
  }
}

/** For tests of what the breaker would otherwise hide. */
const NEVER_OPEN = { consecutive: Infinity, minimum: Infinity }

/** Work that never ends and ignores its signal. */
const never = () => new Promise<never>(() => {})

describe('a call that succeeds', () => {
  it('returns the value, its tries, and no cost if none was reported', async () => {
    const { result } = await play(() => 42)
    expect(result).toMatchObject({
      value: 42,
      costUsd: null,
      attempts: [{ number: 1, costUsd: null, tokens: null }],
    })
    expect(result).not.toHaveProperty('provider')
    expect(result?.attempts[0]).not.toHaveProperty('failure')
  })

  it('gives the work what it needs to know', async () => {
    const seen: unknown[] = []
    await play(
      ({ signal, provider, attempt, remainingMs }) =>
        void seen.push(signal.aborted, provider, attempt, remainingMs),
      { budgetMs: 9_000, provider: 'a' },
    )
    expect(seen).toEqual([false, 'a', 1, 9_000])
  })

  it('after failures, keeps each of them with its verdict', async () => {
    const { result, elapsedMs } = await play(failing(HTTP.overloaded(), HTTP.overloaded()))
    expect(result?.value).toBe('answer')
    expect(result?.attempts.map(({ failure, verdict }) => [failure?.kind, verdict?.action])).toEqual([
      ['overloaded', 'retry'],
      ['overloaded', 'retry'],
      [undefined, undefined],
    ])
    // Full jitter at one half: 0.5 of 1 s, then of 2 s.
    expect(elapsedMs).toBe(1_500)
  })
})

describe('a call that fails', () => {
  it('rejects with one error type that carries failure, verdict, every try and the original object', async () => {
    const thrown = HTTP.invalid()
    const { failed } = await play(() => {
      throw thrown
    })
    expect(failed).toBeInstanceOf(CallFailed)
    expect(isCallFailed(failed)).toBe(true)
    expect(failed.cause).toBe(thrown)
    expect(failed).toMatchObject({
      failure: { class: 'permanent' },
      verdict: { action: 'cancel', as: 'refused' },
    })
    expect(failed.attempts).toHaveLength(1)
    expect(failed.attempts[0]).toMatchObject({ failure: failed.failure, verdict: failed.verdict })
    expect(failed.message).toContain('max_tokens must be positive')
  })

  it.each([undefined, null, 'a string', 7, Symbol('x'), { success: true }])(
    'is told of anything that work throws, even %s',
    async thrown => {
      const { failed } = await play(() => {
        throw thrown
      })
      expect(failed).toBeInstanceOf(CallFailed)
      expect(failed.cause).toBe(thrown)
      expect(failed.failure.class).toBe('unknown')
    },
  )

  it('is retried at most maxRetries times', async () => {
    const { failed } = await play(failing(...Array.from({ length: 9 }, HTTP.overloaded)), { maxRetries: 3 })
    expect(failed.attempts).toHaveLength(4)
    expect(failed.verdict).toMatchObject({ action: 'cancel', as: 'exhausted' })
    const { failed: once } = await play(failing(HTTP.overloaded()), { maxRetries: 0 })
    expect(once.attempts).toHaveLength(1)
  })

  it('waits as long as the provider said', async () => {
    const { result, elapsedMs } = await play(failing(HTTP.rateLimited(40)))
    expect(result?.value).toBe('answer')
    expect(elapsedMs).toBe(40_000)
  })

  it('returns a wait longer than five minutes to the caller if there is no budget', async () => {
    const { failed, elapsedMs } = await play(failing(HTTP.rateLimited(600)))
    expect(elapsedMs).toBe(0)
    expect(failed.verdict).toMatchObject({ action: 'snooze' })
    expect(failed.verdict.reason).toContain('without a budget')
    const { elapsedMs: waited } = await play(failing(HTTP.rateLimited(600)), { budgetMs: 3_600_000 })
    expect(waited).toBe(600_000)
  })
})

describe('the budget', () => {
  it('ends a call on its last millisecond, although the work ignores its signal', async () => {
    let signal: AbortSignal | undefined
    const { failed, elapsedMs, time } = await play(
      context => {
        signal = context.signal
        return never()
      },
      { budgetMs: 5_000 },
    )
    expect(elapsedMs).toBe(5_000)
    expect(failed.failure).toMatchObject({ class: 'timeout', kind: 'timeout' })
    expect(failed.verdict).toMatchObject({ action: 'cancel', as: 'expired' })
    expect(signal?.aborted).toBe(true)
    expect(signal?.reason).toMatchObject({ name: 'TimeoutError' })
    expect(time.pending).toBe(0)
  })

  it('is shared by tries and waits', async () => {
    const started: number[] = []
    const { failed, elapsedMs } = await play(
      ({ remainingMs }) => {
        started.push(remainingMs)
        if (started.length === 1) throw HTTP.overloaded()
        return never()
      },
      { budgetMs: 5_000 },
    )
    expect(started).toEqual([5_000, 4_500])
    expect(elapsedMs).toBe(5_000)
    expect(failed.attempts).toHaveLength(2)
  })

  it('does not begin a wait that does not fit', async () => {
    const { failed, elapsedMs } = await play(failing(HTTP.rateLimited(60)), { budgetMs: 60_000 })
    expect(elapsedMs).toBe(0)
    expect(failed.verdict).toMatchObject({ action: 'snooze' })
  })

  it('allows a second try only with more than the minimum left', async () => {
    const slow =
      (ms: number): CallFunction<never> =>
      async () => {
        await new Promise<void>(resolve => time.after(ms, resolve))
        throw HTTP.overloaded()
      }
    let time = new FakeTime()
    expect((await play(slow(9_000), { budgetMs: 10_000 }, time)).failed).toMatchObject({
      verdict: { as: 'expired' },
      attempts: { length: 1 },
    })
    time = new FakeTime()
    expect((await play(slow(8_999), { budgetMs: 10_000 }, time)).failed.attempts).toHaveLength(2)
    time = new FakeTime()
    expect(
      (await play(slow(9_000), { budgetMs: 10_000, minRetryBudgetMs: 500 }, time)).failed.attempts,
    ).toHaveLength(2)
  })

  it('is measured on a clock that does not jump', async () => {
    const time = new FakeTime()
    const { elapsedMs } = await play(
      () => {
        time.jump(3_600_000)
        return never()
      },
      { budgetMs: 5_000 },
      time,
    )
    expect(elapsedMs).toBe(5_000)
  })

  it('bounds each try by attemptTimeoutMs, which is retried unless the work must not be repeated', async () => {
    const limits = { budgetMs: 60_000, attemptTimeoutMs: 2_000 }
    const { failed } = await play(never, limits)
    expect(failed).toMatchObject({
      failure: { class: 'timeout' },
      verdict: { action: 'cancel', as: 'exhausted' },
      attempts: { length: 3 },
    })
    const once = await play(never, { ...limits, retry: 'none' })
    expect(once.elapsedMs).toBe(2_000)
    expect(once.failed).toMatchObject({ verdict: { as: 'unverifiable' }, attempts: { length: 1 } })
  })
})

describe('what a call costs', () => {
  it('adds up over all tries, tokens separately, and is null if unknown', async () => {
    let first = true
    const { result } = await play(({ charge }) => {
      charge({ usd: 0.25 })
      charge({ tokens: 100 })
      if (first) {
        first = false
        throw HTTP.overloaded()
      }
      charge({ usd: 0.5 })
      return 1
    })
    expect(result?.costUsd).toBe(1)
    expect(result?.attempts.map(({ costUsd, tokens }) => [costUsd, tokens])).toEqual([
      [0.25, 100],
      [0.75, 100],
    ])
    expect((await play(({ charge }) => charge({ tokens: 5 }))).result?.costUsd).toBeNull()
    expect((await play(({ charge }) => charge({ usd: 0 }))).result?.costUsd).toBe(0)
  })

  it('aborts a try that exceeds the limit', async () => {
    let signal: AbortSignal | undefined
    const { failed } = await play(
      context => {
        signal = context.signal
        context.charge({ usd: 2.01 })
        return never()
      },
      { maxCostUsd: 2 },
    )
    expect(signal?.aborted).toBe(true)
    expect(failed).toMatchObject({
      failure: { class: 'rail', kind: 'max_budget' },
      verdict: { as: 'stopped' },
      costUsd: 2.01,
    })
  })

  it('begins no other try when the limit is reached, and lets one that just fits succeed', async () => {
    const { failed } = await play(
      ({ charge }) => {
        charge({ usd: 2 })
        throw HTTP.overloaded()
      },
      { maxCostUsd: 2 },
    )
    expect(failed).toMatchObject({ failure: { class: 'rail', kind: 'max_budget' }, attempts: { length: 1 } })
    expect((await play(({ charge }) => charge({ usd: 2 }), { maxCostUsd: 2 })).result?.costUsd).toBe(2)
  })

  it.each([-1, Number.NaN, Infinity, '3'])('refuses %s as an amount', async usd => {
    const { failed } = await play(({ charge }) => charge({ usd: usd as number }))
    expect(failed.cause).toBeInstanceOf(TypeError)
    expect((failed.cause as Error).message).toContain('charge: usd')
  })
})

describe('soft failures', () => {
  const values = [
    { error: 'rate limit exceeded' },
    { success: false, error: '503 service unavailable' },
    { isError: true, content: [{ type: 'text', text: 'overloaded, try again' }] },
    { status: 503, headers: {}, body: '' },
  ]

  it.each(values)('are treated as failures: %o', async value => {
    let tries = 0
    const { result } = await play(() => (++tries === 1 ? value : 'fine'))
    expect(result?.value).toBe('fine')
    expect(tries).toBe(2)
  })

  it.each(values)('can be switched off: %o', async value => {
    const { result } = await play(() => value, { softFailures: false })
    expect(result?.value).toBe(value)
  })

  it.each([
    'Error: 429 was the number I was asked about',
    { text: 'rate limit exceeded' },
    null,
    undefined,
    [],
    0,
  ])('are not assumed in an answer that talks about failures: %o', async value => {
    const { result } = await play(() => value)
    expect(result?.value).toBe(value)
  })

  it('are the unchanged cause', async () => {
    const value = { error: { type: 'authentication_error', message: 'invalid x-api-key' } }
    expect((await play(() => value)).failed.cause).toBe(value)
  })
})

describe('output that was delivered', () => {
  const half: CallFunction<string> = ({ committed, attempt }) => {
    if (attempt > 1) return 'whole'
    committed()
    throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  }

  it('is not delivered twice', async () => {
    const { failed } = await play(half)
    expect(failed).toMatchObject({
      failure: { class: 'transient', effect: 'maybe' },
      verdict: { as: 'unverifiable' },
      attempts: { length: 1 },
    })
  })

  it('is delivered twice if the caller says that repeating is safe', async () => {
    expect((await play(half, { retry: 'replay' })).result?.value).toBe('whole')
    expect((await play(half, { repeatable: true })).result?.value).toBe('whole')
  })

  it('is not delivered twice because of the old name, if the new one forbids it', async () => {
    const { failed } = await play(half, { retry: 'none', repeatable: true })
    expect(failed).toMatchObject({ verdict: { as: 'unverifiable' }, attempts: { length: 1 } })
  })

  it('makes even a refused connection count as begun', async () => {
    const { failed } = await play(({ committed }) => {
      committed()
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    })
    expect(failed.failure.effect).toBe('maybe')
  })
})

describe('an abort', () => {
  it('before the first try makes none', async () => {
    let tries = 0
    const { failed } = await play(() => ++tries, { signal: AbortSignal.abort('enough') })
    expect(failed).toMatchObject({
      failure: { class: 'aborted' },
      verdict: { as: 'cancelled' },
      attempts: { length: 0 },
      cause: 'enough',
    })
    expect(tries).toBe(0)
  })

  it.each(['a try', 'a wait'])('during %s ends the call at once and leaves nothing behind', async where => {
    const time = new FakeTime()
    const controller = new AbortController()
    time.after(700, () => controller.abort(new Error('the user left')))
    let signal: AbortSignal | undefined
    const { failed, elapsedMs } = await play(
      context => {
        signal = context.signal
        if (where === 'a wait') throw HTTP.rateLimited(30)
        return never()
      },
      { signal: controller.signal },
      time,
    )
    expect(elapsedMs).toBe(700)
    expect(failed).toMatchObject({
      failure: { class: 'aborted' },
      verdict: { action: 'cancel', as: 'cancelled' },
    })
    expect((failed.cause as Error).message).toBe('the user left')
    expect(signal?.aborted).toBe(where === 'a try')
    expect(time.pending).toBe(0)
  })
})

describe('a pool', () => {
  it('fails over to the next provider, without counting a retry', async () => {
    const asked: string[] = []
    const { result, events } = await play(
      ({ provider }) => {
        asked.push(provider as string)
        if (provider === 'a') throw HTTP.broke()
        if (provider === 'b') throw HTTP.unauthorized()
        return provider
      },
      { pool: ['a', 'b', 'c'], maxRetries: 0 },
    )
    expect(asked).toEqual(['a', 'b', 'c'])
    expect(result).toMatchObject({ value: 'c', provider: 'c' })
    expect(events.filter(({ type }) => type === 'failed.over')).toMatchObject([
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
    ])
  })

  it('retries where it failed first, then goes elsewhere', async () => {
    const asked: string[] = []
    await play(
      ({ provider }) => {
        asked.push(provider as string)
        if (provider === 'a') throw HTTP.overloaded()
        return 1
      },
      { pool: ['a', 'b'], maxRetries: 1 },
    )
    expect(asked).toEqual(['a', 'a', 'b'])
  })

  it('stops when the request itself is at fault, without asking another provider', async () => {
    const asked: string[] = []
    const { failed } = await play(
      ({ provider }) => {
        asked.push(provider as string)
        throw HTTP.invalid()
      },
      { pool: ['a', 'b'] },
    )
    expect(asked).toEqual(['a'])
    expect(failed.verdict).toMatchObject({ as: 'refused' })
  })

  it('ends with a typed verdict when all providers have failed', async () => {
    const { failed } = await play(
      () => {
        throw HTTP.broke()
      },
      { pool: ['a', 'b'] },
    )
    expect(failed.attempts.map(({ provider }) => provider)).toEqual(['a', 'b'])
    expect(failed.verdict).toMatchObject({ action: 'park', for: 'payment' })
  })

  it('says which providers were passed over, and why', async () => {
    const time = new FakeTime()
    const gate = new Health({ time })
    await play(
      ({ provider }) => {
        if (provider === 'a') throw HTTP.rateLimited(100)
        return 1
      },
      { pool: ['a', 'b'], health: gate },
      time,
    )
    const { events } = await play(() => 1, { pool: ['a', 'b'], health: gate }, time)
    expect(events[0]).toMatchObject({
      type: 'attempt.started',
      provider: 'b',
      passedOver: [{ provider: 'a', until: time.now() + 100_000 }],
    })
  })

  it('in which no provider admits makes no try: it waits for the block that ends first, or reports it', async () => {
    const time = new FakeTime()
    const gate = new Health({ time })
    const options = { pool: ['a', 'b'], health: gate, maxRetries: 0 }
    await play(
      ({ provider }) => {
        throw HTTP.rateLimited(provider === 'a' ? 100 : 200)
      },
      options,
      time,
    )
    const { failed } = await play(() => 1, { ...options, budgetMs: 50_000 }, time)
    expect(failed).toMatchObject({
      failure: {
        class: 'throttle',
        provider: 'a',
        effect: 'none',
        resetAt: time.now() + 100_000,
        evidence: { rule: expect.stringMatching(/^gate:/) },
      },
      verdict: { action: 'snooze', until: time.now() + 100_000 },
      attempts: { length: 0 },
    })
    const { result, elapsedMs } = await play(
      ({ provider }) => provider,
      { ...options, budgetMs: 150_000 },
      time,
    )
    expect(elapsedMs).toBe(100_000)
    expect(result).toMatchObject({ value: 'a', attempts: { length: 1 } })
  })
})

describe('health', () => {
  const overloads = async (provider: string, gate: Health, time: FakeTime) => {
    for (let i = 0; i < 5; i++)
      await play(failing(HTTP.overloaded()), { provider, health: gate, maxRetries: 0 }, time)
  }

  it('makes a call wait for its turn while a breaker is open, and lets it find out', async () => {
    const time = new FakeTime()
    const gate = new Health({ time, random: () => 0.5 })
    await overloads('a', gate, time)
    const { result, elapsedMs } = await play(() => 'back', { provider: 'a', health: gate }, time)
    expect(result).toMatchObject({ value: 'back', attempts: { length: 1 } })
    expect(elapsedMs).toBe(500)
  })

  it('lets a call that cannot wait for that go by itself, whatever its budget', async () => {
    for (const budgetMs of [undefined, 1_000, 60_000]) {
      const time = new FakeTime()
      const gate = new Health({ time, random: () => 0.5 })
      await overloads('a', gate, time)
      const options = { provider: 'a', health: gate, budgetMs, longestWaitMs: 300 }
      const { result, elapsedMs } = await play(() => 'back', options, time)
      expect(result).toMatchObject({ value: 'back', attempts: { length: 1 } })
      expect(elapsedMs).toBeLessThan(300)
    }
  })

  it('lets those follow that wait, once the answer to the first has begun', async () => {
    const time = new FakeTime()
    const gate = new Health({ time, random: () => 0.5 })
    await overloads('a', gate, time)
    const stream = () => new ReadableStream<string>({ start: controller => controller.enqueue('word') })
    const calls = [1, 2, 3].map(() =>
      call(stream, { provider: 'a', health: gate, time, softFailures: false }),
    )
    await time.until(Promise.all(calls))
    expect(time.monotonic()).toBe(600)
  })

  it('sends a retry elsewhere if its provider no longer admits it, rather than let it wait', async () => {
    const time = new FakeTime()
    const gate = new Health({ time })
    const failOthers = () => {
      for (let i = 0; i < 5; i++) {
        const { permit } = gate.choose({ pool: ['a'], tried: new Set() }) as { permit?: Permit }
        permit?.failed(classify(HTTP.overloaded()) as Failure, { breaker: 'failure' })
      }
    }
    let tries = 0
    const { result, elapsedMs } = await play(
      async ({ provider }) => {
        if (provider !== 'a') return provider
        // While this call waits for its retry, others find that the provider is down.
        if (++tries === 1) time.after(100, () => failOthers())
        throw HTTP.overloaded()
      },
      { pool: ['a', 'b'], health: gate },
      time,
    )
    expect(tries).toBe(1)
    expect(result?.value).toBe('b')
    expect(elapsedMs).toBeLessThan(5_000)
  })

  it('learns what each try cost, and stops at a cap', async () => {
    const time = new FakeTime()
    const gate = new Health({ time, providers: [{ id: 'a', caps: [{ per: 'day', usd: 1, tokens: 100 }] }] })
    await play(({ charge }) => charge({ usd: 0.4, tokens: 10 }), { provider: 'a', health: gate }, time)
    await play(
      ({ charge }) => {
        charge({ usd: 0.7 })
        throw HTTP.invalid()
      },
      { provider: 'a', health: gate },
      time,
    )
    const [status] = await gate.status()
    expect(status?.windows.map(({ used }) => used)).toEqual([1.1, 10])
    const { failed } = await play(() => 1, { provider: 'a', health: gate, budgetMs: 60_000 }, time)
    expect(failed).toMatchObject({
      failure: { kind: 'quota', evidence: { rule: 'gate:window' } },
      verdict: { action: 'snooze', until: Date.UTC(2026, 0, 2) },
      attempts: { length: 0 },
    })
  })

  it('learns from the headers of answers, observed or returned', async () => {
    const time = new FakeTime()
    const gate = new Health({ time })
    const headers = {
      'x-ratelimit-limit-requests': '10',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '20s',
    }
    await play(() => new Response('{}', { headers }), { provider: 'a', health: gate }, time)
    await play(({ observed }) => observed(headers), { provider: 'b', health: gate }, time)
    const { events } = await play(() => 1, { pool: ['a', 'b', 'c'], health: gate }, time)
    expect(events[0]).toMatchObject({
      provider: 'c',
      passedOver: [
        { provider: 'a', until: time.now() + 20_000 },
        { provider: 'b', until: time.now() + 20_000 },
      ],
    })
  })

  it('is not harmed by values that cannot be read', async () => {
    const hostile = {
      get headers(): never {
        throw new Error('no')
      },
    }
    const { result } = await play(() => hostile, { provider: 'a', softFailures: false })
    expect(result?.value).toBe(hostile)
  })
})

describe('a storm', () => {
  it('is not fed: when most calls to a provider fail, they go elsewhere without a retry until time refills the bucket', async () => {
    const time = new FakeTime()
    const gate = new Health({ time, providers: [{ id: 'a', breaker: NEVER_OPEN }] })
    const tries = async (pool: string[]) => {
      let count = 0
      const work = ({ provider }: { provider: string | undefined }) => {
        count++
        if (provider === 'a') throw HTTP.overloaded()
        return 'answer'
      }
      await play(work, { pool, health: gate, random: () => 0 }, time)
      return count
    }
    const counts: number[] = []
    for (let i = 0; i < 7; i++) counts.push(await tries(['a', 'b']))
    // Ten retries, then none; but a call that has nobody else keeps its own.
    expect(counts).toEqual([4, 4, 4, 4, 4, 2, 2])
    expect(await tries(['a'])).toBe(3)
    await time.advance(20_000)
    expect(await tries(['a', 'b'])).toBe(4)
  })
})

describe('a policy', () => {
  it.each<[string, CallOptions['policy'] & object]>([
    ['retries', () => ({ action: 'retry', delayMs: 0, mode: 'again', reason: 'again', rule: 'test' })],
    [
      'would resume what has no session',
      () => ({ action: 'retry', delayMs: 0, mode: 'resume', reason: 'on', rule: 'test' }),
    ],
    ['fails over', () => ({ action: 'failover', reason: 'elsewhere', rule: 'test' })],
    ['is that of a council', PRESETS.council],
    ['is that of a job queue', PRESETS.oban],
  ])('cannot repeat delivered work, if it %s', async (_title, policy) => {
    let tries = 0
    const { failed } = await play(
      ({ committed }) => {
        tries++
        committed()
        throw HTTP.overloaded()
      },
      { policy, pool: ['a', 'b'], resumable: true },
    )
    expect(tries).toBe(1)
    expect(failed.verdict).toMatchObject({ action: 'cancel', as: 'unverifiable' })
  })

  it('replaces the verdict if it is a bare function', async () => {
    const again: Verdict = { action: 'retry', delayMs: 10, mode: 'again', reason: 'mine', rule: 'mine' }
    const { result, elapsedMs } = await play(failing(HTTP.invalid()), { policy: () => again })
    expect(result?.attempts).toHaveLength(2)
    expect(elapsedMs).toBe(10)
  })

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('oops')
      },
      'oops',
    ],
    ['answers with a word', () => 'retry', '"retry" is not a verdict'],
    [
      'snoozes until now',
      () => ({ action: 'snooze', until: 0, mode: 'again', reason: 'r', rule: 'r' }),
      'must end after now',
    ],
    ['knows an unknown action', () => ({ action: 'pray', reason: 'r', rule: 'r' }), '"pray"'],
    ['promises one', async () => ({}), 'promise'],
  ])('that %s is reported by name, and the default decides', async (_title, verdict, problem) => {
    const problems: PolicyProblem[] = []
    const policy = { name: 'house', verdict: verdict as () => Verdict }
    const { failed } = await play(failing(HTTP.invalid()), {
      policy,
      onPolicyProblem: found => problems.push(found),
    })
    expect(failed.verdict.rule).toBe('default:permanent')
    expect(problems).toMatchObject([
      { policy: 'house', member: 'verdict', problem: expect.stringContaining(problem) },
    ])
  })

  it('cannot exceed the bounds of the call', async () => {
    const forever = (delayMs: number) => (): Verdict => ({
      action: 'retry',
      delayMs,
      mode: 'again',
      reason: 'again',
      rule: 'stubborn',
    })
    const errors = Array.from({ length: 99 }, HTTP.overloaded)
    expect((await play(failing(...errors), { policy: forever(0), maxRetries: 4 })).failed).toMatchObject({
      attempts: { length: 5 },
      verdict: { as: 'exhausted', rule: 'call:exhausted' },
    })
    expect(
      (await play(failing(...errors), { policy: forever(10_000), budgetMs: 10_000 })).failed,
    ).toMatchObject({ attempts: { length: 1 }, verdict: { as: 'expired' } })
    const away = (): Verdict => ({ action: 'failover', reason: 'away', rule: 'away' })
    expect((await play(failing(...errors), { policy: away, pool: ['a', 'b'] })).failed).toMatchObject({
      attempts: { length: 2 },
      verdict: { action: 'cancel', as: 'exhausted' },
    })
    expect((await play(failing(...errors), { policy: away })).failed).toMatchObject({
      attempts: { length: 1 },
      verdict: { as: 'exhausted' },
    })
  })
})

describe('events', () => {
  it('form the whole timeline', async () => {
    const { events, time } = await play(
      ({ provider, charge }) => {
        charge({ usd: 0.1 })
        if (provider === 'a') throw HTTP.overloaded()
        return 1
      },
      { pool: ['a', 'b'], maxRetries: 1, budgetMs: 60_000, name: 'review' },
    )
    expect(events.map(({ type }) => type)).toEqual([
      'attempt.started',
      'attempt.failed',
      'waiting',
      'attempt.started',
      'attempt.failed',
      'failed.over',
      'attempt.started',
      'settled',
    ])
    expect(new Set(events.map(({ call }) => call)).size).toBe(1)
    expect(events.every(({ name }) => name === 'review')).toBe(true)
    expect(events[2]).toMatchObject({ delayMs: 500, until: time.now() })
    expect(events.at(-1)).toMatchObject({
      outcome: 'succeeded',
      attempts: 3,
      provider: 'b',
      durationMs: 500,
      costUsd: expect.closeTo(0.3),
    })
  })

  it('carry the error when the call fails, and a listener that throws breaks nothing', async () => {
    const { failed, events } = await play(failing(HTTP.invalid()))
    expect(events.at(-1)).toMatchObject({ type: 'settled', outcome: 'failed', error: failed })
    const { result } = await play(() => 1, {
      onEvent: () => {
        throw new Error('listener')
      },
    })
    expect(result?.value).toBe(1)
  })
})

describe('a gate', () => {
  const gateWith = (choose: () => never) => ({ choose, outlook: choose, mayRetry: () => true })

  it('that throws ends the call with its error as the cause', async () => {
    const broken = new Error('SQLITE_CORRUPT: database disk image is malformed')
    const gates = [
      () => {
        throw broken
      },
      () => Promise.reject(broken) as never,
    ]
    for (const choose of gates) {
      const { failed } = await play(() => 1, { provider: 'a', health: gateWith(choose as () => never) })
      expect(failed).toMatchObject({ verdict: { rule: 'call:gate' }, attempts: { length: 0 }, cause: broken })
    }
  })

  it('that does not answer is not waited for beyond the budget, and a late permit is returned', async () => {
    const time = new FakeTime()
    let released = 0
    const permit = { provider: 'a', succeeded() {}, failed() {}, released: () => void released++ }
    const choose = () => new Promise(resolve => time.after(8_000, () => resolve({ permit, passedOver: [] })))
    const { failed, elapsedMs } = await play(
      () => 1,
      { provider: 'a', budgetMs: 5_000, health: gateWith(choose as () => never) },
      time,
    )
    expect(elapsedMs).toBe(5_000)
    expect(failed).toMatchObject({ failure: { class: 'timeout' }, attempts: { length: 0 } })
    await time.advance(3_000)
    expect(released).toBe(1)
  })

  it.each(['choose', 'wait'] as const)(
    'hears of an abort even if it asks for the signal later: %s',
    async what => {
      const time = new FakeTime()
      const controller = new AbortController()
      const heard: boolean[] = []
      const late = async (request: GateRequest) => {
        await sleep(time, 1_000)
        heard.push(request.signal?.aborted === true)
        request.signal?.throwIfAborted()
      }
      const permit = { provider: 'a', succeeded() {}, failed() {}, released() {} }
      const health: Gate = {
        ...gateWith((() => ({ permit, passedOver: [] })) as () => never),
        [what]: late,
      }
      time.after(500, () => controller.abort(new Error('enough')))
      const refused = () => Promise.reject(Object.assign(new Error('busy'), { status: 429 }))
      const options = { provider: 'a', health, time, signal: controller.signal, longestWaitMs: 60_000 }
      await time.until(call(refused, options).catch(() => {}))
      await time.advance(1_000)
      expect(heard).toEqual([true])
    },
  )
})

describe('options', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown one', { retries: 3 }, 'unknown option retries: did you mean maxRetries?'],
    ['a budget of nothing', { budgetMs: 0 }, 'budgetMs must be a number of milliseconds above 0, not 0'],
    ['a budget in words', { budgetMs: '10m' }, 'not "10m"'],
    ['half a retry', { maxRetries: 1.5 }, 'maxRetries must be a whole number'],
    ['an empty pool', { pool: [] }, 'pool must be a list of at least one provider name'],
    ['a nameless provider', { provider: '' }, 'provider must be the name of a provider, not ""'],
    ['a negative cost', { maxCostUsd: -1 }, 'maxCostUsd'],
    ['a negative minimum', { minRetryBudgetMs: Number.NaN }, 'minRetryBudgetMs'],
    [
      'an unknown backoff',
      { backoff: 'linear' },
      'backoff must be one of adaptive, fixed10s, fixed_10s, exponential, fullJitter',
    ],
    ['a signal that is none', { signal: 'stop' }, 'signal must be an AbortSignal'],
    ['the same provider twice', { pool: ['a', 'a'] }, 'pool must be'],
  ])('that are wrong are named in the error: %s', async (_title, options, message) => {
    await expect(call(() => 1, options as CallOptions)).rejects.toThrow(message)
    await expect(call(() => 1, options as CallOptions)).rejects.toBeInstanceOf(TypeError)
  })

  it('require work that is a function', async () => {
    await expect(call('work' as unknown as () => 1)).rejects.toThrow(
      'call: the work must be a function, not "work"',
    )
  })
})
