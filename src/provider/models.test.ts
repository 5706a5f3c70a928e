import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { defaultPolicy } from '../verdict/default-policy.ts'
import type { HealthEvent } from './event.ts'
import type { Choice, GateRequest, Permit } from './gate.ts'
import { Health } from './health.ts'
import { withoutCall } from './without-call.ts'

const MINUTE = 60_000
const NONE: ReadonlySet<string> = new Set()
const http = (status: number, message: string) => ({ status, headers: {}, body: { error: { message } } })

function start() {
  const time = new FakeTime()
  const events: HealthEvent[] = []
  const health = new Health({ time, random: () => 0.5, onEvent: event => events.push(event) })
  const ask = (request: Partial<GateRequest> = {}) =>
    Promise.resolve(health.choose({ pool: ['a'], tried: NONE, ...request }))
  const choose = (request?: Partial<GateRequest>): Promise<Choice> => time.until(ask(request))
  const fail = (permit: Permit, input: unknown, model?: string) => {
    const failure = classify(input, { provider: 'a', model, now: time.now() }) as Failure
    const standing = permit.standing?.(failure)
    permit.failed(failure, defaultPolicy.health(failure, { ...withoutCall(time.now()), ...standing }))
  }
  const failing = async (input: unknown, model?: string) =>
    fail((await choose({ model })).permit as Permit, input, model)
  const admits = async (model?: string) => {
    const { permit } = await choose({ model, waitMs: 0 })
    permit?.released()
    return permit !== undefined
  }
  return { health, time, events, ask, choose, fail, failing, admits }
}

describe('the breaker of a model', () => {
  it('opens when it is overloaded, and leaves the other models alone', async () => {
    const { failing, admits, events, health } = start()
    for (let i = 0; i < 5; i++) await failing(http(529, 'Overloaded'), 'opus')
    expect(await admits('opus')).toBe(false)
    expect(await admits('sonnet')).toBe(true)
    expect(await admits()).toBe(true)
    expect(events.at(-1)).toMatchObject({ type: 'breaker.opened', provider: 'a', model: 'opus' })
    const [status] = await health.status()
    expect(status).toMatchObject({
      breaker: { state: 'closed' },
      modelBreakers: [{ model: 'opus', state: 'open' }],
    })
    await health.reset('a')
    expect(await admits('opus')).toBe(true)
  })

  it('is closed again by a call for that model only', async () => {
    const { failing, choose, admits, time, events } = start()
    for (let i = 0; i < 5; i++) await failing(http(529, 'Overloaded'), 'opus')
    await time.advance(31_000)
    ;(await choose({ model: 'sonnet' })).permit?.succeeded()
    expect(events.at(-1)?.type).toBe('breaker.opened')
    ;(await choose({ model: 'opus' })).permit?.succeeded()
    expect(events.at(-1)).toMatchObject({ type: 'breaker.closed', model: 'opus' })
    expect(await admits('opus')).toBe(true)
  })

  it('does not count if no server was reached: that concerns the provider', async () => {
    const { failing, admits } = start()
    const unreachable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    for (let i = 0; i < 5; i++) await failing(unreachable, 'opus')
    expect(await admits('sonnet')).toBe(false)
  })
})

describe('a limit of a model', () => {
  const ofModel = http(429, 'You have exhausted your quota for this model. Try again in 10 minutes.')

  it('blocks calls without a model if one of those hit it', async () => {
    const { fail, choose, admits, health } = start()
    fail((await choose()).permit as Permit, ofModel, 'opus-4')
    expect(await admits()).toBe(false)
    expect(await admits('opus-4')).toBe(false)
    expect(await admits('haiku')).toBe(true)
    expect((await health.status())[0]).toMatchObject({ admits: false })
  })

  it('also blocks the model under the name that the call used', async () => {
    const { fail, choose, admits } = start()
    fail((await choose({ model: 'opus' })).permit as Permit, ofModel, 'claude-opus-4')
    expect(await admits('opus')).toBe(false)
    expect(await admits('claude-opus-4')).toBe(false)
    expect(await admits()).toBe(true)
  })
})

describe('a refusal of one model that may concern all', () => {
  it('blocks all once another model is refused in the same way, but a bill is another way than a limit', async () => {
    const { choose, admits, time } = start()
    const refused = async (model: string, input: unknown) => {
      const failure = classify(input, { provider: 'a', model }) as Failure
      const { permit } = await choose({ model })
      permit?.failed(failure, { breaker: 'none', ofModel: true, blockUntil: time.now() + 10 * MINUTE })
    }
    await refused('opus', http(429, 'Too Many Requests'))
    await refused('sonnet', http(400, 'Your credit balance is too low'))
    expect([await admits('opus'), await admits('sonnet'), await admits('haiku')]).toEqual([
      false,
      false,
      true,
    ])
    await refused('haiku', http(429, 'Too Many Requests'))
    expect(await admits('gpt')).toBe(false)
  })
})

describe('a limit of a plan without a time', () => {
  const usedUp = {
    exitCode: 1,
    signal: null,
    stderr: '',
    stdout: JSON.stringify({
      type: 'result',
      is_error: true,
      total_cost_usd: 0,
      num_turns: 1,
      result: 'usage limit reached',
    }),
  }

  it('blocks longer each time any caller hits it, until a call succeeds', async () => {
    const { failing, choose, time, events } = start()
    const lengths: number[] = []
    for (let round = 0; round < 6; round++) {
      await failing(usedUp)
      const { until } = events.findLast(({ type }) => type === 'blocked') as { until: number }
      lengths.push((until - time.now()) / MINUTE)
      await time.advance(until - time.now())
    }
    expect(lengths).toEqual([15, 30, 60, 120, 240, 360])
    ;(await choose()).permit?.succeeded()
    await failing(usedUp)
    expect(events.at(-1)).toMatchObject({ type: 'blocked', until: time.now() + 15 * MINUTE })
  })

  it('is tested by one call that goes ahead, while the others wait for its result', async () => {
    const { failing, ask, fail, time } = start()
    await failing(usedUp)
    await time.advance(15 * MINUTE)
    const crowd = Array.from({ length: 60 }, () => ask())
    const first = (await crowd[0])?.permit as Permit
    await time.advance(100)
    fail(first, usedUp)
    const rest = await Promise.all(crowd.slice(1))
    expect(rest.filter(({ permit }) => permit)).toEqual([])
    await time.advance(30 * MINUTE)
    const again = Array.from({ length: 60 }, () => ask())
    const ahead = (await again[0])?.permit as Permit
    ahead.succeeded()
    expect((await Promise.all(again)).every(({ permit }) => permit)).toBe(true)
  })

  it('does not hold up the others for long if the call that goes ahead is slow', async () => {
    const { failing, ask, time } = start()
    await failing(usedUp)
    await time.advance(15 * MINUTE)
    const [first, second] = [ask(), ask()]
    expect((await first).permit).toBeDefined()
    expect((await time.until(second, 30_000)).permit).toBeDefined()
  })
})

describe('a rate limit without a time', () => {
  const slowDown = http(429, 'Too Many Requests')
  const ofModel = http(429, 'Rate limit reached for model opus-4')
  const pausesOf = (events: readonly HealthEvent[]) =>
    events.flatMap(event => (event.type === 'paced' ? [event.until - event.at] : []))

  it('pauses longer each time it is met again, until a call succeeds', async () => {
    const { failing, choose, time, events } = start()
    const meet = async () => {
      await failing(slowDown)
      await time.advance(pausesOf(events).at(-1) as number)
    }
    for (let round = 0; round < 13; round++) await meet()
    const seconds = pausesOf(events).map(ms => ms / 1_000)
    expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 60, 120, 240, 480, 900, 900, 900])
    ;(await choose()).permit?.succeeded()
    await meet()
    expect(pausesOf(events).at(-1)).toBe(1_000)
  })

  it('of one model grows for that model only', async () => {
    const { failing, time, events } = start()
    await failing(ofModel, 'opus-4')
    await time.advance(1_000)
    await failing(ofModel, 'opus-4')
    await failing(slowDown, 'haiku')
    expect(pausesOf(events)).toEqual([1_000, 2_000, 1_000])
  })

  it('of one model does not end with the success of a call without a model, unless such a call hit it', async () => {
    const { failing, fail, choose, time, events } = start()
    const twice = async (meet: () => Promise<void>) => {
      for (let round = 0; round < 2; round++) {
        await meet()
        await time.advance(pausesOf(events).at(-1) as number)
        ;(await choose()).permit?.succeeded()
      }
      return pausesOf(events).slice(-2)
    }
    expect(await twice(() => failing(ofModel, 'opus-4'))).toEqual([1_000, 2_000])
    await time.advance(MINUTE)
    const unnamed = async () => fail((await choose()).permit as Permit, ofModel, 'gpt/opus-4')
    expect(await twice(unnamed)).toEqual([1_000, 1_000])
  })
})
