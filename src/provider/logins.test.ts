import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { defaultPolicy } from '../verdict/default-policy.ts'
import { credentialHash } from './block.ts'
import type { HealthEvent } from './event.ts'
import type { Choice, GateRequest, Permit } from './gate.ts'
import { Health } from './health.ts'
import type { HealthOptions } from './health-options.ts'
import { MemoryStore } from './memory-store.ts'
import { withoutCall } from './without-call.ts'

const MINUTE = 60_000
const NONE: ReadonlySet<string> = new Set()
const http = (status: number, message: string) => ({ status, headers: {}, body: { error: { message } } })
const refused = () => http(401, 'invalid x-api-key')

/** A health on fake time whose calls are judged by the default policy. */
function start(options: HealthOptions = {}, time = new FakeTime()) {
  const events: HealthEvent[] = []
  const health = new Health({ time, random: () => 0.5, onEvent: event => events.push(event), ...options })
  const choose = async (request: Partial<GateRequest> = {}): Promise<Choice> =>
    time.until(Promise.resolve(health.choose({ pool: ['a'], tried: NONE, ...request })))
  const permit = async (request?: Partial<GateRequest>) => {
    const choice = await choose(request)
    if (!choice.permit) throw new Error(`not admitted: ${choice.failure.message}`)
    return choice.permit
  }
  const fail = (given: Permit, input: unknown) => {
    const failure = classify(input, { provider: given.provider, now: time.now() }) as Failure
    const standing = given.standing?.(failure)
    given.failed(failure, defaultPolicy.health(failure, { ...withoutCall(time.now()), ...standing }))
    return failure
  }
  const failing = async (input: unknown, request?: Partial<GateRequest>) => fail(await permit(request), input)
  const admits = async (request?: Partial<GateRequest>) => {
    const { permit: given } = await choose(request)
    given?.released()
    return given !== undefined
  }
  return { health, time, events, choose, permit, fail, failing, admits }
}

describe('a refused login', () => {
  it('stays blocked when a call succeeds that began before the refusal', async () => {
    const { failing, admits, permit, time } = start()
    const before = await permit({ credential: 'key' })
    await time.advance(MINUTE)
    await failing(refused(), { credential: 'key' })
    before.succeeded()
    expect(await admits({ credential: 'key' })).toBe(false)
  })

  it('of one tenant does not block another tenant, and ends when its key changes', async () => {
    const { failing, admits, time, health } = start()
    await failing(refused(), { credential: 'tenant-1-key' })
    await time.advance(MINUTE / 2)
    expect(await admits({ credential: 'tenant-1-key' })).toBe(false)
    expect(await admits({ credential: 'tenant-2-key' })).toBe(true)
    expect(await admits({ credential: 'tenant-1-new-key' })).toBe(true)
    expect(await admits()).toBe(true)
    const [status] = await health.status()
    expect(status?.blocks).toMatchObject([
      { scope: { provider: 'a', credential: credentialHash('tenant-1-key') } },
    ])
    expect(JSON.stringify(await health.status())).not.toContain('tenant-1-key')
    await health.reset('a')
    expect(await admits({ credential: 'tenant-1-key' })).toBe(true)
  })

  it('with an unknown credential blocks briefly, longer each time, until it serves', async () => {
    const { failing, permit, time, events } = start()
    const lengths: number[] = []
    for (let round = 0; round < 3; round++) {
      await failing(refused())
      const blocked = events.findLast(({ type }) => type === 'blocked') as { until: number }
      lengths.push(blocked.until - time.now())
      await time.advance(blocked.until - time.now())
    }
    expect(lengths).toEqual([30_000, 60_000, 120_000])
    ;(await permit()).succeeded()
    await failing(refused())
    expect(events.at(-1)).toMatchObject({ type: 'blocked', until: time.now() + 30_000 })
  })

  it('of many running calls counts once', async () => {
    const { permit, fail, time, events } = start()
    const crowd = await Promise.all(Array.from({ length: 20 }, () => permit()))
    for (const one of crowd) fail(one, refused())
    expect(events.at(-1)).toMatchObject({ type: 'blocked', until: time.now() + 30_000 })
  })

  it('still counts as refused after its block is over, until a call, a probe or a person says otherwise', async () => {
    const { failing, permit, time, health } = start()
    const isRefused = async () => (await health.status())[0]?.loginRefused
    await failing(refused())
    await time.advance(MINUTE)
    expect(await isRefused()).toBe(true)
    ;(await permit()).succeeded()
    expect(await isRefused()).toBe(false)
    await failing(refused())
    await health.reset('a')
    expect(await isRefused()).toBe(false)
  })

  it('of a forbidden resource blocks nothing, and without a scope blocks only after several in a row', async () => {
    const { failing, permit, admits } = start()
    for (let i = 0; i < 10; i++) await failing(http(403, 'You do not have permission to read document 7'))
    for (let i = 0; i < 2; i++) await failing(http(403, 'Forbidden'))
    expect(await admits()).toBe(true)
    ;(await permit()).succeeded()
    for (let i = 0; i < 2; i++) await failing(http(403, 'Forbidden'))
    expect(await admits()).toBe(true)
    await failing(http(403, 'Forbidden'))
    expect(await admits()).toBe(false)
  })

  it('says since when a call is not admitted, and why', async () => {
    const time = new FakeTime(Date.UTC(2026, 0, 1, 14, 3))
    const { failing, choose } = start({ providers: [{ id: 'a', credential: 'k' }] }, time)
    const failure = await failing(refused())
    await time.advance(MINUTE / 2)
    const { message: said, ...rest } = ((await choose()) as { failure: Failure }).failure
    expect(said).toBe(
      `not tried: blocked since 14:03 UTC: ${failure.message}. Log in again, then: mulligan providers reset a, or health.reset('a')`,
    )
    expect(rest).toMatchObject({ class: 'permanent', kind: 'auth', effect: 'none' })
    await time.advance(24 * 60 * MINUTE)
    // One call goes through; the next is told again.
    await choose()
    expect(((await choose()) as { failure: Failure }).failure.message).toContain('since 2026-01-01 14:03 UTC')
  })

  it('from the settings ends when the settings change, in any process', async () => {
    let key = 'old'
    const [store, time] = [new MemoryStore(), new FakeTime()]
    const options = { store, providers: [{ id: 'a', credential: () => key }] }
    const one = start(options, time)
    const two = start(options, time)
    await one.failing(refused())
    await time.advance(2_000)
    expect(await two.admits()).toBe(false)
    key = 'new'
    expect(await two.admits()).toBe(true)
    await time.advance(2_000)
    expect(two.events).toMatchObject([{ type: 'cleared', by: 'credential' }])
    await one.health.dispose()
    await two.health.dispose()
  })
})

describe('a login of another process', () => {
  it('with its own key stays refused, even while ours serves', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    const of = (credential: string) => start({ store, providers: [{ id: 'a', credential }] }, time)
    const [one, two] = [of('refused'), of('good')]
    await one.failing(refused())
    await time.advance(2_000)
    ;(await two.permit()).succeeded()
    await time.advance(2_000)
    expect(await two.admits()).toBe(true)
    expect(await one.admits()).toBe(false)
    // Started again with a good key, it serves at once.
    const [status] = await of('replaced').health.status()
    expect(status).toMatchObject({ admits: true, loginRefused: false, blocks: [] })
    for (const { health } of [one, two]) await health.dispose()
  })
})

describe('provider state of an earlier version', () => {
  const failure = classify(refused(), { provider: 'a' }) as Failure
  const stored = async (value: object) => {
    const store = new MemoryStore()
    await store.compareAndSet('block/provider/a', 0, value)
    return store
  }

  it('still blocks calls, and ends when the credential changes', async () => {
    const time = new FakeTime()
    const block = { from: time.now() - 1, until: null, failure, credential: credentialHash('old') }
    let key = 'old'
    const { admits, health } = start(
      { store: await stored(block), providers: [{ id: 'a', credential: () => key }] },
      time,
    )
    expect(await admits()).toBe(false)
    expect((await health.status())[0]?.loginRefused).toBe(true)
    key = 'new'
    expect(await admits()).toBe(true)
    expect((await health.status())[0]?.loginRefused).toBe(false)
    await health.dispose()
  })

  it('applies to calls without a known credential if it names none', async () => {
    const time = new FakeTime()
    const { admits, health } = start(
      { store: await stored({ from: time.now() - 1, until: null, failure }) },
      time,
    )
    expect(await admits()).toBe(false)
    expect(await admits({ credential: 'k' })).toBe(true)
    await health.dispose()
  })
})
