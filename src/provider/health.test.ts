import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { defaultPolicy } from '../verdict/default-policy.ts'
import { PRESETS } from '../verdict/presets/presets.ts'
import type { HealthEvent } from './event.ts'
import type { Choice, GateRequest, Permit } from './gate.ts'
import { Health } from './health.ts'
import type { HealthOptions } from './health-options.ts'
import { withoutCall } from './without-call.ts'

const NONE: ReadonlySet<string> = new Set()
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A health on fake time, with all its events. */
function start(options: HealthOptions = {}, time = new FakeTime()) {
  const events: HealthEvent[] = []
  const health = new Health({ time, random: () => 0.5, onEvent: event => events.push(event), ...options })
  const choose = (request: Partial<GateRequest> = {}) =>
    health.choose({ pool: ['a'], tried: NONE, ...request }) as Choice
  const failing = (input: unknown, request: Partial<GateRequest> = {}, policy = defaultPolicy) => {
    const { permit } = choose(request)
    if (!permit) throw new Error('not admitted')
    const failure = classify(input, {
      provider: permit.provider,
      model: request.model,
      now: time.now(),
    }) as Failure
    permit.failed(failure, policy.health(failure, withoutCall(time.now())))
    return failure
  }
  const types = () => events.map(({ type }) => type)
  return { health, time, events, types, choose, failing }
}

const http = (status: number, message = '', headers: Record<string, string> = {}) =>
  Object.assign(new Error(`${status} ${message}`), { status, headers })
const overloaded = () => http(529, 'Overloaded')
const limited = (seconds: number) => http(429, 'Too Many Requests', { 'retry-after': String(seconds) })
const spent = () => http(400, 'Your credit balance is too low')
const refused = () => http(401, 'invalid x-api-key')
const permitOf = (choice: Choice): Permit => choice.permit as Permit

describe('choosing', () => {
  it('takes the first that admits, and says for each one passed over why and until when', () => {
    const { choose, failing, time } = start()
    failing(limited(100))
    failing(spent(), { pool: ['b'] })
    const { permit, passedOver } = choose({ pool: ['a', 'b', 'c'] })
    expect(permit?.provider).toBe('c')
    expect(passedOver).toEqual([
      {
        provider: 'a',
        reason: expect.stringMatching(/^blocked until 2026-01-01T00:01:40Z: .*Too Many Requests/),
        until: time.now() + 100_000,
      },
      { provider: 'b', reason: expect.stringMatching(/^blocked until cleared: .*credit balance/) },
    ])
  })

  it('does not choose a provider that failed in this call again, except for a retry', () => {
    const { choose } = start()
    const tried = new Set(['a'])
    expect(choose({ pool: ['a', 'b'], tried }).permit?.provider).toBe('b')
    expect(choose({ pool: ['a', 'b'], tried, again: 'a' }).permit?.provider).toBe('a')
    expect(choose({ pool: ['a'], tried })).toMatchObject({
      failure: { origin: 'gate', evidence: { rule: 'gate:nobody_left' } },
    })
  })

  it('lets a retry pass the block that its own failure set, but no other', () => {
    const { choose, failing } = start()
    const after = failing(limited(10))
    const again = { again: 'a', after, tried: new Set(['a']) }
    permitOf(choose(again)).released()
    failing(spent(), again)
    expect(choose(again).permit).toBeUndefined()
  })

  it('sends a throttled call to another quota, and an overflowed one to a larger window', () => {
    const { choose, health } = start({
      providers: [
        { id: 'a', quota: 'plan', models: [{ id: 'm', contextWindow: 200_000 }] },
        { id: 'b', quota: 'plan', models: [{ id: 'm', contextWindow: 1_000_000 }] },
        { id: 'c', models: [{ id: 'm', contextWindow: 200_000 }] },
      ],
    })
    const tried = new Set(['a'])
    const pool = ['a', 'b', 'c', 'd']
    const request = { pool, tried, model: 'm' }
    const throttled = classify(limited(10), { provider: 'a' }) as Failure
    expect(choose({ ...request, after: throttled }).permit?.provider).toBe('c')
    const overflow = classify(http(400, 'prompt is too long: 210000 tokens > 200000 maximum'), {
      provider: 'a',
    }) as Failure
    expect(overflow.kind).toBe('context_overflow')
    const chosen = choose({ ...request, after: overflow })
    expect(chosen.permit?.provider).toBe('b')
    const without = { ...request, pool: ['a', 'c', 'd'], after: overflow }
    expect(health.outlook(without)).toMatchObject({ otherProviderAvailable: false })
    expect(choose(without).passedOver.at(-1)?.reason).toBe('declares no larger context window')
  })

  it('checks pause, block, window, breaker in this order: the first that refuses is the reason', async () => {
    const { health, choose, failing } = start({
      providers: [{ id: 'a', caps: [{ per: 'day', usd: 1 }], breaker: { consecutive: 1 } }],
    })
    const reason = () => choose().passedOver[0]?.reason ?? 'admitted'
    permitOf(choose()).succeeded({ costUsd: 1, tokens: null })
    expect(reason()).toContain('its window "day" is used up ($1.00 of $1.00)')
    const pool = ['a']
    const other = start({ providers: [{ id: 'a', breaker: { consecutive: 1 } }] })
    other.failing(overloaded())
    expect(other.choose({ waitMs: 0 }).passedOver[0]?.reason).toContain('its breaker is open until')
    expect(failing).toThrow('not admitted')
    await health.pause('a', 'invoice unpaid')
    expect(reason()).toBe('paused by a person: invoice unpaid')
    expect(health.outlook({ pool, tried: NONE })).toEqual({ otherProviderAvailable: false })
    await health.resume('a')
    expect(reason()).toContain('its window "day" is used up')
  })

  it('takes reason and end of the latest pause, and the beginning of the first', async () => {
    const { health, time } = start({ providers: [{ id: 'a' }] })
    const at = time.now()
    await health.pause('a', 'maintenance', at + 60_000)
    time.jump(1_000)
    await health.pause('a', 'longer than planned')
    const [status] = await health.status()
    expect(status).toMatchObject({ admits: false, paused: { at, reason: 'longer than planned' } })
    expect(status?.paused).not.toHaveProperty('until')
  })

  it('respects the concurrency limit, and admits waiting calls as others end', async () => {
    const { choose, health } = start({ providers: [{ id: 'a', maxConcurrent: 2 }] })
    const first = permitOf(choose())
    choose()
    expect(choose({ pool: ['a', 'b'] })).toMatchObject({
      permit: { provider: 'b' },
      passedOver: [{ provider: 'a', reason: expect.stringContaining('busy with 2 calls') }],
    })
    let third: Choice | undefined
    const waiting = Promise.resolve(choose()).then(choice => {
      third = choice
    })
    await Promise.resolve()
    expect(third).toBeUndefined()
    first.succeeded()
    first.released()
    await waiting
    expect(third?.permit?.provider).toBe('a')
    expect((await health.status())[0]?.running).toBe(2)
  })

  it('reports when the preferred provider of a pool serves again', async () => {
    const { choose, failing, events, time } = start()
    const pool = ['a', 'b']
    failing(limited(100), { pool })
    expect(choose({ pool }).permit?.provider).toBe('b')
    expect(choose({ pool }).permit?.provider).toBe('b')
    await time.advance(100_000)
    expect(choose({ pool }).permit?.provider).toBe('a')
    choose({ pool })
    expect(events.filter(({ type }) => type === 'returned')).toEqual([
      { at: time.now(), type: 'returned', provider: 'a', from: 'b' },
    ])
  })
})

describe('when no provider admits', () => {
  it('the failure is that of the block that ends first, with effect none and its end as the reset', () => {
    const { choose, failing, time } = start()
    failing(limited(200))
    failing(limited(100), { pool: ['b'] })
    const choice = choose({ pool: ['a', 'b'] })
    expect(choice).toMatchObject({
      failure: {
        class: 'throttle',
        kind: 'rate_limit',
        effect: 'none',
        provider: 'b',
        resetAt: time.now() + 100_000,
        retryAfterMs: 100_000,
        evidence: { rule: expect.stringMatching(/^gate:/) },
      },
      availableAt: time.now() + 100_000,
    })
  })

  it('an open breaker counts as overloaded until it is half-open', () => {
    const { choose, failing, time } = start({ providers: [{ id: 'a', breaker: { consecutive: 1 } }] })
    failing(overloaded())
    expect(choose({ waitMs: 0 })).toMatchObject({
      failure: {
        class: 'transient',
        kind: 'overloaded',
        effect: 'none',
        resetAt: time.now() + 30_000,
        origin: 'gate',
        evidence: { rule: 'gate:breaker_open' },
      },
    })
  })

  it('a spending ceiling counts as a quota until its window ends', () => {
    const { choose, time } = start({ providers: [{ id: 'a', caps: [{ per: 'hour', usd: 0 }] }] })
    expect(choose()).toMatchObject({
      failure: { class: 'throttle', kind: 'quota', effect: 'none', resetAt: time.now() + HOUR },
      availableAt: time.now() + HOUR,
    })
  })

  it('a block that only a person can clear has no time', () => {
    const { choose, failing } = start()
    failing(spent())
    const choice = choose()
    expect(choice).toMatchObject({ failure: { kind: 'billing' } })
    expect(choice).not.toHaveProperty('availableAt')
  })
})

/** A failed run of an agent CLI, which tells its limits itself. */
const told = (result: string) => ({
  exitCode: 1,
  signal: null,
  stderr: '',
  stdout: JSON.stringify({ type: 'result', is_error: true, total_cost_usd: 0, num_turns: 1, result }),
})

describe('a block', () => {
  it.each<[string, string, number]>([
    ['in hours', 'usage limit reached, resets in 2 hours', 7_200],
    ['in minutes', 'usage limit reached, resets in 30 minutes', 1_800],
    ['in seconds', 'rate limit exceeded, resets in 90s', 90],
    ['at a time of UTC', 'usage limit reached, resets at 14:00 UTC', 14_400],
    ['at a time of a zone', 'usage limit reached, resets 2am (Europe/Berlin)', 50_400],
    ['before the word hour', '5-hour limit reached, resets in 4h', 14_400],
    ['and not by a word behind it', '5-hour limit reached, resets in 45m (5-hour window)', 2_700],
    ['at midnight, in JSON', '{"error":{"message":"quota exceeded. It resets at 00:00 UTC."}}', 50_400],
  ])('lasts as long as the provider said: %s', (_title, text, seconds) => {
    const { failing, choose, time } = start({}, new FakeTime(Date.UTC(2026, 4, 22, 10)))
    failing(told(text))
    expect(((choose() as { availableAt: number }).availableAt - time.now()) / 1_000).toBe(seconds)
  })

  it.each<[string, unknown, number]>([
    ['a rate', http(429, 'slow down'), 1_000],
    ['an allowance', told('usage limit reached'), 15 * MINUTE],
    ['an allowance, said by nobody known', new Error('usage limit reached'), MINUTE],
    ['a time beyond an hour, said by nobody known', new Error('usage limit reached, resets in 2 days'), HOUR],
  ])('has a default length if the provider stated none: %s', (_title, error, ms) => {
    const { failing, choose, time } = start()
    failing(error)
    expect((choose({ waitMs: 0 }) as { availableAt: number }).availableAt - time.now()).toBe(ms)
  })

  it('ends on its own, and is not shortened by a shorter one', async () => {
    const { failing, choose, time, events } = start()
    const slow = permitOf(choose())
    const failure = failing(limited(3_600))
    slow.failed(
      { ...failure, resetAt: time.now() + 5_000 },
      { breaker: 'none', blockUntil: time.now() + 5_000 },
    )
    await time.advance(HOUR - 1)
    expect(choose().permit).toBeUndefined()
    await time.advance(1)
    expect(choose().permit?.provider).toBe('a')
    expect(events.filter(({ type }) => type === 'blocked')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'cleared', scope: { quota: 'a' }, by: 'time' })
  })

  it.each([
    [1, 3, 1, true],
    [1, 1, 1, false],
    [2, 3, 1, false],
    [1, 30, 3, false],
  ])(
    'does not follow %d refusal(s) beside %d other calls that say %d s: %s',
    (refusals, others, seconds, is) => {
      const { choose, failing } = start()
      for (let n = 0; n < others; n++) choose()
      for (let n = 0; n < refusals; n++) failing(limited(seconds))
      expect(choose().permit !== undefined).toBe(is)
    },
  )

  it('applies to all providers that share the quota, and to the model alone if the limit names it', () => {
    const { failing, choose } = start({
      providers: [{ id: 'anthropic', quota: 'claude-code' }, { id: 'claude-code' }, { id: 'zai' }],
    })
    const named = 'Rate limit reached for model opus-4 on tokens per day. Please try again in 9m'
    failing(http(429, named), { pool: ['anthropic'], model: 'opus-4' })
    expect(choose({ pool: ['claude-code'], model: 'opus-4' }).permit).toBeUndefined()
    expect(choose({ pool: ['claude-code'], model: 'haiku-4' }).permit).toBeDefined()
    expect(choose({ pool: ['anthropic'] }).permit).toBeDefined()
    failing(new Error('usage limit reached'), { pool: ['claude-code'], model: 'haiku-4' })
    expect(choose({ pool: ['anthropic'], model: 'sonnet' }).permit).toBeUndefined()
    expect(choose({ pool: ['zai'], model: 'opus-4' }).permit).toBeDefined()
  })

  it('of a refused login applies to that provider, and ends when its credential changes', () => {
    let key: string | undefined = 'sk-old'
    const { failing, choose, events, health } = start({
      providers: [
        { id: 'a', quota: 'q', credential: () => key },
        { id: 'b', quota: 'q' },
      ],
    })
    failing(refused())
    expect(choose().permit).toBeUndefined()
    expect(choose({ pool: ['b'] }).permit).toBeDefined()
    expect(JSON.stringify([...health.provider('a').cells()].map(({ value }) => value))).not.toContain(
      'sk-old',
    )
    key = 'sk-new'
    expect(choose().permit).toBeDefined()
    expect(events.at(-1)).toMatchObject({ type: 'cleared', scope: { provider: 'a' }, by: 'credential' })
  })

  it('ends with the success of a call that began after it, not before', async () => {
    const { failing, choose, time, events } = start()
    const early = permitOf(choose())
    await time.advance(10)
    const after = failing(limited(10))
    await time.advance(10)
    early.succeeded()
    expect(choose().permit).toBeUndefined()
    permitOf(choose({ again: 'a', after, tried: new Set(['a']) })).succeeded()
    expect(choose().permit).toBeDefined()
    expect(events.at(-1)).toMatchObject({ type: 'cleared', by: 'success' })
  })

  it('keeps its length when the clock is set back by a day', async () => {
    const { failing, choose, time } = start()
    failing(limited(100))
    time.jump(-24 * HOUR)
    expect((choose() as { availableAt: number }).availableAt).toBe(time.now() + 100_000)
    await time.advance(100_000)
    expect(choose().permit).toBeDefined()
  })

  it('is not replaced by one from before the clock was set back', () => {
    const { failing, choose, time } = start()
    const other = permitOf(choose())
    const failure = failing(limited(1))
    time.jump(-200_000)
    other.failed(failure, { breaker: 'none', blockUntil: time.now() + 21_000 })
    expect((choose() as { availableAt: number }).availableAt).toBe(time.now() + 21_000)
  })

  it('is cleared by hand, breaker included', async () => {
    const { failing, choose, health, types } = start({
      providers: [{ id: 'a', breaker: { consecutive: 1 } }],
    })
    failing(spent())
    await health.reset('a')
    failing(overloaded())
    expect(choose({ waitMs: 0 }).permit).toBeUndefined()
    await health.reset('a')
    expect(choose().permit).toBeDefined()
    expect(types()).toEqual(['blocked', 'cleared', 'breaker.opened', 'breaker.closed'])
  })
})

describe('a breaker in health', () => {
  const overload = (times: number, { failing }: ReturnType<typeof start>) => {
    for (let i = 0; i < times; i++) failing(overloaded())
  }

  it('opens after five failures of the provider, but not of the caller or its setup', () => {
    const it = start()
    overload(4, it)
    it.failing(http(400, 'invalid_request_error: max_tokens must be positive'))
    it.failing(Object.assign(new Error('spawn claude ENOENT'), { code: 'ENOENT', syscall: 'spawn claude' }))
    permitOf(it.choose()).released()
    expect(it.choose().permit).toBeDefined()
    overload(1, it)
    expect(it.choose({ waitMs: 0 }).permit).toBeUndefined()
    expect(it.types()).toEqual(['breaker.opened'])
  })

  it('counts an unknown failure half', () => {
    const { failing, choose } = start()
    for (let i = 0; i < 9; i++) failing(new Error('who knows what this is'))
    expect(choose().permit).toBeDefined()
    failing(new Error('who knows what this is'))
    expect(choose({ waitMs: 0 }).permit).toBeUndefined()
  })

  it('trips at once if the policy says so, and fills the windows without changing the spending', async () => {
    const { failing, choose, health, time } = start({
      providers: [
        {
          id: 'a',
          caps: [
            { per: 'hour', usd: 5 },
            { per: 'day', usd: 20 },
          ],
        },
      ],
    })
    permitOf(choose()).succeeded({ costUsd: 1.25, tokens: null })
    failing(limited(600), {}, PRESETS.terraphim)
    const [status] = await health.status()
    expect(status?.breaker.state).toBe('open')
    expect(status?.level).toBe('exhausted')
    expect(status?.windows.map(({ used, level, until, source }) => [used, level, until, source])).toEqual([
      [1.25, 'exhausted', time.now() + 600_000, 'filled'],
      [1.25, 'exhausted', time.now() + 600_000, 'filled'],
    ])
    await time.advance(600_000)
    expect((await health.status())[0]?.windows.map(({ level }) => level)).toEqual(['within', 'within'])
  })

  it('does not take a provider for back by an answer that begins after its call has failed', async () => {
    const { health, choose, failing, time } = start()
    for (let n = 0; n < 5; n++) failing(overloaded())
    await time.advance(30_000)
    const probe = permitOf(await time.until(Promise.resolve(choose())))
    const failure = classify(overloaded(), { provider: 'a' }) as Failure
    probe.failed(failure, defaultPolicy.health(failure, withoutCall(time.now())))
    probe.answering?.()
    expect((await health.status())[0]?.breaker.state).toBe('open')
  })

  it('gives the probe to the call that waits longest; the others wait, then follow, ever more at once', async () => {
    const it = start()
    overload(5, it)
    await it.time.advance(30_000)
    const order: string[] = []
    const permits: Permit[] = []
    const calls = [3, 1, 2].map(since =>
      Promise.resolve(it.choose({ since, triesLeft: 3 })).then(choice => {
        order.push(`call ${since} at ${it.time.now() - Date.UTC(2026, 0, 1) - 30_000}`)
        permits.push(permitOf(choice))
      }),
    )
    await it.time.advance(400)
    expect(order).toEqual(['call 1 at 0'])
    permits[0]?.succeeded()
    await it.time.advance(5_000)
    await Promise.all(calls)
    expect(order).toEqual(['call 1 at 0', 'call 2 at 400', 'call 3 at 500'])
    expect(it.types()).toEqual(['breaker.opened', 'breaker.half_open', 'breaker.closed'])
  })

  it('lets calls behind a failed probe wait for their turn, and passes on a probe without a result', async () => {
    const it = start()
    overload(5, it)
    await it.time.advance(30_000)
    const first = permitOf(await it.time.until(Promise.resolve(it.choose())))
    const behind = Promise.resolve(it.choose({ since: 1 }))
    first.released()
    const second = permitOf(await it.time.until(behind))
    const last = Promise.resolve(it.choose({ since: 2, triesLeft: 3 }))
    second.failed(classify(overloaded()) as Failure, { breaker: 'failure' })
    expect(it.choose({ waitMs: 0 })).toMatchObject({
      failure: { evidence: { rule: 'gate:breaker_open' } },
      passedOver: [{ until: it.time.now() + 60_000 }],
    })
    const failedAt = it.time.now()
    permitOf(await it.time.until(last)).succeeded()
    expect(it.time.now() - failedAt).toBeLessThanOrEqual(5_000)
    expect(it.types().at(-1)).toBe('breaker.closed')
  })

  it('does not keep a call behind a long probe: it goes when its turn comes', async () => {
    const it = start()
    overload(5, it)
    await it.time.advance(29_000)
    it.failing(limited(60), { pool: ['b'] })
    await it.time.advance(1_000)
    const probe = await it.time.until(Promise.resolve(it.choose()))
    expect(probe.permit?.provider).toBe('a')
    const behind = await it.time.until(Promise.resolve(it.choose({ pool: ['a', 'b'], triesLeft: 3 })))
    expect(behind.permit?.provider).toBe('a')
    expect(it.time.monotonic()).toBeLessThan(35_000)
    behind.permit?.succeeded()
    expect(it.time.pending).toBe(0)
  })

  it('sends calls elsewhere while the probe is in flight', async () => {
    const it = start()
    overload(5, it)
    await it.time.advance(30_000)
    const pool = ['a', 'b']
    const probe = await it.time.until(Promise.resolve(it.choose({ pool })))
    expect(probe.permit?.provider).toBe('a')
    expect(it.choose({ pool })).toMatchObject({
      permit: { provider: 'b' },
      passedOver: [{ provider: 'a', reason: expect.stringContaining('a probe is in flight') }],
    })
  })
})

describe('learning from success', () => {
  const headers = (remaining: number, reset = '30s') => ({
    'x-ratelimit-limit-requests': '100',
    'x-ratelimit-remaining-requests': String(remaining),
    'x-ratelimit-reset-requests': reset,
  })

  it('warns once when a vendor reports little left, and stops calling it when nothing is left', async () => {
    const { choose, events, time } = start()
    permitOf(choose()).succeeded(undefined, new Response('{}', { headers: headers(50) }))
    permitOf(choose()).succeeded(undefined, new Response('{}', { headers: headers(20) }))
    permitOf(choose()).succeeded(undefined, new Response('{}', { headers: headers(19) }))
    expect(events).toMatchObject([{ type: 'window.near', quota: 'a', use: { used: 80, limit: 100 } }])
    const permit = permitOf(choose())
    permit.observed?.(headers(0))
    permit.succeeded()
    expect(events.at(-1)).toMatchObject({ type: 'window.exhausted' })
    expect(choose()).toMatchObject({ failure: { kind: 'quota', resetAt: time.now() + 30_000 } })
    await time.advance(30_000)
    expect(choose().permit).toBeDefined()
  })

  it('keeps the rates of different models separate', () => {
    const { choose } = start()
    permitOf(choose({ model: 'big' })).succeeded(undefined, { headers: headers(0) })
    expect(choose({ model: 'big' }).permit).toBeUndefined()
    expect(choose({ model: 'small' }).permit).toBeDefined()
  })

  it('records the limit that a program hit on its way to success', async () => {
    const { choose, time } = start()
    permitOf(choose()).succeeded(undefined, {
      exitCode: 0,
      signal: null,
      stdout: 'Done: all tests pass.',
      stderr: 'Error: 429 {"error":{"type":"rate_limit_error","message":"rate limit"}} retry-after: 120',
    })
    expect(choose()).toMatchObject({ failure: { class: 'throttle' } })
    await time.advance(20 * MINUTE)
    expect(choose().permit).toBeDefined()
  })
})

describe('money', () => {
  it('is charged to the quota and the fleet; an unknown cost is unknown, not zero', async () => {
    const { choose, health, failing } = start({
      providers: [
        { id: 'a', caps: [{ per: 'day', usd: 10 }] },
        { id: 'b', quota: 'a', caps: [{ per: 'day', tokens: 500 }] },
      ],
      fleet: { monthUsd: 100 },
    })
    permitOf(choose()).succeeded({ costUsd: 2, tokens: 100 })
    permitOf(choose({ pool: ['b'] })).succeeded({ costUsd: null, tokens: 300 })
    failing({
      exitCode: 1,
      stdout: '{"type":"result","subtype":"error_during_execution","is_error":true,"total_cost_usd":0.5}',
      stderr: '',
    })
    const [a, b] = await health.status()
    expect(a?.windows).toEqual(b?.windows)
    expect(a?.windows.map(({ unit, used }) => [unit, used])).toEqual([
      ['usd', 2.5],
      ['tokens', 400],
    ])
    expect(health.fleet()).toMatchObject([{ window: 'month', used: 2.5, limit: 100 }])
  })

  it('of the fleet stops all providers at the ceiling until the window ends, and reports it once', async () => {
    const { choose, time, events } = start({ fleet: { dayUsd: 1, monthUsd: 50 } })
    permitOf(choose()).succeeded({ costUsd: 0.4, tokens: null })
    permitOf(choose({ pool: ['b'] })).succeeded({ costUsd: 0.6, tokens: null })
    for (const pool of [['a'], ['b'], ['never called']]) {
      expect(choose({ pool })).toMatchObject({
        failure: { class: 'throttle', kind: 'quota', evidence: { rule: 'gate:fleet' } },
        availableAt: time.now() + 24 * HOUR,
      })
    }
    await time.advance(24 * HOUR)
    expect(choose().permit).toBeDefined()
    expect(events.map(({ type }) => type)).toEqual(['fleet.reached', 'fleet.rolled'])
  })

  it('counts the cost that a failure states beside the tokens that its call reported', async () => {
    const { health, choose } = start({
      providers: [{ id: 'a', caps: [{ per: 'day', usd: 10, tokens: 1_000 }] }],
    })
    const failure = { ...(classify(overloaded(), { provider: 'a' }) as Failure), costUsd: 0.5 }
    permitOf(choose()).failed(failure, { breaker: 'none' }, { costUsd: null, tokens: 100 })
    permitOf(choose()).failed(failure, { breaker: 'none' }, { costUsd: 0.25, tokens: 100 })
    const [status] = await health.status()
    expect(status?.windows.map(({ used }) => used)).toEqual([0.75, 200])
  })

  it('is never given back: a negative or invalid cost counts as zero', async () => {
    const { choose, health } = start({ providers: [{ id: 'a', caps: [{ per: 'hour', usd: 1 }] }] })
    for (const costUsd of [0.5, -5, Number.NaN, Infinity])
      permitOf(choose()).succeeded({ costUsd, tokens: null })
    expect((await health.status())[0]?.windows[0]?.used).toBe(0.5)
  })

  it('is reported when it comes near its cap', () => {
    const { choose, events } = start({ providers: [{ id: 'a', caps: [{ per: 'hour', usd: 1 }] }] })
    permitOf(choose()).succeeded({ costUsd: 0.85, tokens: null })
    expect(events).toMatchObject([{ type: 'window.near', quota: 'a', use: { window: 'hour', used: 0.85 } }])
  })
})

describe('a pool', () => {
  it('chooses in order, respects a forced choice, and is found by name', async () => {
    const { health, failing } = start({ pools: [{ id: 'coders', providers: ['a', 'b'] }] })
    const pool = health.pool('coders')
    expect((await pool.choose()).permit?.provider).toBe('a')
    failing(limited(100))
    expect(await pool.choose({ model: 'm' })).toMatchObject({
      permit: { provider: 'b' },
      passedOver: [{ provider: 'a', until: expect.any(Number) }],
    })
    expect((await pool.choose({ forced: 'b', tried: ['b'] })).permit?.provider).toBe('b')
    expect((await pool.choose({ forced: 'a' })).permit).toBeUndefined()
    await expect(pool.choose({ forced: 'z' })).rejects.toThrow('"z" is not one of its providers; known: a, b')
    expect(() => health.pool('writers')).toThrow('no pool is called "writers"; known: coders')
  })
})

describe('settings', () => {
  it.each<[string, HealthOptions, string]>([
    ['the same id twice', { providers: [{ id: 'a' }, { id: 'a' }] }, 'two providers are called "a"'],
    [
      'a window that is none',
      { providers: [{ id: 'a', caps: [{ per: 'week' as 'day', usd: 1 }] }] },
      'caps[0].per must be',
    ],
    [
      'a cap of nothing',
      { providers: [{ id: 'a', caps: [{ per: 'day' }] }] },
      'must have usd, tokens or requests',
    ],
    [
      'a negative cap',
      { providers: [{ id: 'a', caps: [{ per: 'day', usd: -1 }] }] },
      'usd must be a number of at least 0',
    ],
    ['a zone that is none', { fleet: { timeZone: 'Mars' } }, 'fleet.timeZone must be an IANA time zone'],
    ['a probe without a way', { providers: [{ id: 'a', probe: {} }] }, 'either run or command'],
    ['an empty pool', { pools: [{ id: 'p', providers: [] }] }, 'pool "p" has no providers'],
    [
      'a breaker of nothing',
      { providers: [{ id: 'a', breaker: { consecutive: 0 } }] },
      'breaker.consecutive',
    ],
    ['no calls at once', { providers: [{ id: 'a', maxConcurrent: 0 }] }, 'maxConcurrent must be at least 1'],
  ])('that are wrong are named in the error: %s', (_title, options, message) => {
    expect(() => new Health(options)).toThrow(message)
  })
})
