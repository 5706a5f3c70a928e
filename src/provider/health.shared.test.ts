import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampled } from '../../test/sampled.ts'
import type { Failure } from '../failure/failure.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import type { HealthMark } from '../verdict/policy.ts'
import type { HealthEvent } from './event.ts'
import type { Choice, Permit } from './gate.ts'
import { Health } from './health.ts'
import type { HealthOptions } from './health-options.ts'
import { MemoryStore } from './memory-store.ts'
import type { ProviderStore } from './store.ts'

const NONE: ReadonlySet<string> = new Set()
const failure: Failure = {
  class: 'transient',
  kind: 'overloaded',
  effect: 'maybe',
  provider: 'a',
  message: 'overloaded',
  evidence: { rule: 'r', where: 'w', excerpt: '', lost: [] },
  fingerprint: 'fp1:1',
}
const FAILED: HealthMark = { breaker: 'failure' }

/** One of several processes that share a store and a clock. */
function processOn(store: ProviderStore, time: FakeTime, options: HealthOptions = {}) {
  const events: HealthEvent[] = []
  const health = new Health({
    store,
    time,
    random: () => 0.5,
    onEvent: event => events.push(event),
    onStoreProblem: () => {},
    ...options,
  })
  const ask = (pool = ['a'], waitMs = Infinity) =>
    Promise.resolve(health.choose({ pool, tried: NONE, waitMs, triesLeft: 3 }))
  const choose = (pool?: string[], waitMs?: number): Promise<Choice> => time.until(ask(pool, waitMs))
  const permit = async () => (await choose()).permit as Permit
  return { health, events, ask, choose, permit }
}

/** Lets all pending writes and notifications finish. */
const settle = (time: FakeTime) => time.advance(2_000)

describe('several processes', () => {
  it('count failures together and all see the breaker open; one of them reports it', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    const [one, two] = [processOn(store, time), processOn(store, time)]
    for (let i = 0; i < 3; i++) (await one.permit()).failed(failure, FAILED)
    await settle(time)
    for (let i = 0; i < 2; i++) (await two.permit()).failed(failure, FAILED)
    await settle(time)
    for (const { choose } of [one, two])
      expect((await choose(['a'], 0)) as { failure?: Failure }).toMatchObject({
        failure: { evidence: { rule: 'gate:breaker_open' } },
      })
    const told = [...one.events, ...two.events].map(({ type }) => type)
    expect(told).toEqual(['breaker.opened'])
  })

  it('keep a provider paused that one of them pauses again before another ends its last pause', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    const late: ProviderStore = new Proxy(store, {
      get: (of, verb: keyof ProviderStore) => (verb === 'onChange' ? () => () => {} : of[verb].bind(of)),
    })
    const [one, two] = [processOn(store, time), processOn(late, time)]
    await one.health.pause('a', 'first', time.now() + 60_000)
    await two.health.ready()
    await time.advance(60_000)
    await one.health.pause('a', 'again')
    await two.health.endPauses()
    await settle(time)
    for (const { health } of [one, two])
      expect(await health.status()).toMatchObject([{ admits: false, paused: { reason: 'again' } }])
  })

  it('keep a refused login blocked if one of them does not know or cannot read its credential', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    const refused = { ...failure, class: 'permanent', kind: 'auth' } as const
    const provider = (credential?: () => string | undefined) =>
      processOn(store, time, { providers: [{ id: 'a', ...(credential ? { credential } : {}) }] })
    const unreadable = () => {
      throw new Error('the keychain is locked')
    }
    const all = [provider(() => 'one'), provider(), provider(unreadable), provider(() => undefined)]
    ;(await all[0]?.permit())?.failed(refused, { breaker: 'none', blockUntil: 'cleared' })
    await settle(time)
    for (const { choose } of all.toReversed()) {
      expect((await choose()).permit).toBeUndefined()
      await settle(time)
    }
    const changed = provider(() => 'two')
    expect((await changed.choose()).permit).toBeDefined()
  })

  it('learn of a block even if the store failed at first', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    let isDown = false
    const compareAndSet: ProviderStore['compareAndSet'] = (...change) =>
      isDown ? Promise.reject(new Error('database is locked')) : store.compareAndSet(...change)
    const flaky = new Proxy<ProviderStore>(store, {
      get: (target, key) =>
        key === 'compareAndSet' ? compareAndSet : Reflect.get(target, key, target).bind(target),
    })
    const [one, two] = [processOn(flaky, time), processOn(store, time)]
    const permit = await one.permit()
    isDown = true
    permit.failed(failure, { breaker: 'none', blockUntil: time.now() + 3_600_000 })
    await time.advance(10)
    isDown = false
    await settle(time)
    expect((await two.choose()).permit).toBeUndefined()
  })

  it('remember what was spent for as long as the longest window needs it', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    const day = 86_400_000
    const { health, permit } = processOn(store, time, {
      providers: [{ id: 'a', caps: [{ per: 60 * day, usd: 10 }] }],
    })
    ;(await permit()).succeeded({ costUsd: 9, tokens: null })
    await time.advance(59 * day)
    await health.flush()
    expect((await health.status())[0]?.windows).toMatchObject([{ used: 9, level: 'near' }])
    await time.advance(2 * day)
    await health.flush()
    expect((await health.status())[0]?.windows).toMatchObject([{ used: 0, level: 'within' }])
  })

  it('leave no timer that keeps a process alive after dispose', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    const [one, two] = [processOn(store, time), processOn(store, time)]
    for (let i = 0; i < 5; i++) (await one.permit()).failed(failure, FAILED)
    await time.advance(32_000)
    await one.permit()
    await settle(time)
    void two.ask()
    await settle(time)
    expect(time.pending).toBeGreaterThan(0)
    for (const { health } of [one, two]) await health.dispose()
    expect(time.pending).toBe(0)
  })

  it('are not stopped by a foreign key in the store', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    await store.compareAndSet('breaker/%', 0, 'what is this')
    expect((await processOn(store, time).choose()).permit).toBeDefined()
  })

  it('let out only one probe between them', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    const all = [processOn(store, time), processOn(store, time), processOn(store, time)]
    for (let i = 0; i < 5; i++) (await all[0]?.permit())?.failed(failure, FAILED)
    await settle(time)
    await time.advance(30_000)
    const asked = all.map(({ ask }) => ask())
    let admitted: Permit[] = []
    for (const choice of asked) void choice.then(({ permit }) => permit && admitted.push(permit))
    await time.advance(400)
    expect(admitted).toHaveLength(1)
    admitted[0]?.succeeded()
    admitted = []
    await settle(time)
    expect(admitted).toHaveLength(2)
  })

  it('do not wait for a probe that hangs, or whose process died, if they have nobody else to go to', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    const [one, two] = [processOn(store, time), processOn(store, time)]
    for (let i = 0; i < 5; i++) (await one.permit()).failed(failure, FAILED)
    await settle(time)
    await time.advance(30_000)
    await one.permit()
    const before = time.monotonic()
    const next = await two.permit()
    expect(time.monotonic() - before).toBeGreaterThan(0)
    expect(time.monotonic() - before).toBeLessThanOrEqual(5_000)
    next.succeeded()
    await settle(time)
    expect((await one.health.status())[0]?.breaker.state).toBe('closed')
  })

  it('leave a probe to its holder as long as it lives, but not longer', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    const [one, two] = [processOn(store, time), processOn(store, time)]
    for (let i = 0; i < 5; i++) (await one.permit()).failed(failure, FAILED)
    await settle(time)
    await time.advance(30_000)
    const holder = (await one.choose(['a', 'b'])).permit
    expect(holder?.provider).toBe('a')
    await time.advance(600_000)
    time.jump(3_600_000)
    expect((await two.choose(['a', 'b'])).permit?.provider).toBe('b')
    // The first process dies, so its probe is no longer renewed.
    const dead = new MemoryStore(JSON.parse(JSON.stringify(store)))
    const three = processOn(dead, time)
    expect((await three.choose(['a', 'b'])).permit?.provider).toBe('b')
    await time.advance(130_000)
    expect((await three.choose(['a', 'b'])).permit?.provider).toBe('a')
  })

  it('share blocks, pauses and resets at once', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    const [one, two] = [processOn(store, time), processOn(store, time)]
    ;(await one.permit()).failed(
      { ...failure, class: 'throttle', kind: 'billing' },
      { breaker: 'none', blockUntil: 'cleared' },
    )
    await settle(time)
    expect((await two.choose()).permit).toBeUndefined()
    await two.health.reset('a')
    await settle(time)
    expect((await one.choose()).permit).toBeDefined()
    await one.health.pause('a')
    await settle(time)
    expect((await two.choose()).passedOver[0]?.reason).toBe('paused by a person')
  })

  it('sum their spending, and stop together at the cap', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    const options: HealthOptions = {
      providers: [{ id: 'a', caps: [{ per: 'day', usd: 1 }] }],
      fleet: { dayUsd: 50 },
    }
    const [one, two] = [processOn(store, time, options), processOn(store, time, options)]
    ;(await one.permit()).succeeded({ costUsd: 0.6, tokens: 10 })
    ;(await two.permit()).succeeded({ costUsd: 0.5, tokens: 10 })
    // A process that has not asked for a while reads before it admits.
    await time.advance(15_000)
    for (const { choose } of [one, two]) expect((await choose()).permit).toBeUndefined()
    await one.health.dispose()
    await two.health.dispose()
    const fleet = await store.spent(['fleet'], 0)
    expect(fleet.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(1.1)
    expect(time.pending).toBe(0)
  })
})

describe('a restart', () => {
  it('forgets neither block nor breaker nor spend', async () => {
    const [store, time] = [new MemoryStore(), new FakeTime()]
    const options: HealthOptions = { providers: [{ id: 'b', caps: [{ per: 'day', usd: 5 }] }] }
    const before = processOn(store, time, options)
    ;(await before.permit()).failed(
      { ...failure, class: 'throttle', kind: 'quota' },
      { breaker: 'none', blockUntil: time.now() + 9e6 },
    )
    ;((await before.choose(['b'])).permit as Permit).succeeded({ costUsd: 4.5, tokens: null })
    for (let i = 0; i < 5; i++) ((await before.choose(['c'])).permit as Permit).failed(failure, FAILED)
    await before.health.dispose()
    const after = processOn(new MemoryStore(JSON.parse(JSON.stringify(store))), time, options)
    const status = new Map((await after.health.status()).map(entry => [entry.id, entry]))
    expect(status.get('c')?.breaker.state).toBe('open')
    expect(status.get('b')).toMatchObject({ level: 'near', windows: [{ used: 4.5 }] })
    expect(await after.choose(['a'])).toMatchObject({
      failure: { kind: 'quota' },
      availableAt: time.now() + 9e6,
    })
  })
})

describe('a store that fails', () => {
  it('does not stop calls that need nothing from it, and receives missed writes when it is back', async () => {
    const time = new FakeTime()
    const store = new MemoryStore()
    let isDown = false
    const flaky = new Proxy(store, {
      get(target, name: keyof ProviderStore) {
        const member = target[name] as (...given: unknown[]) => unknown
        return (...given: unknown[]) =>
          isDown && name !== 'onChange' ? Promise.reject(new Error('disk full')) : member.apply(target, given)
      },
    })
    const problems: unknown[] = []
    const { permit, health } = processOn(flaky, time, { onStoreProblem: error => problems.push(error) })
    await health.ready()
    isDown = true
    ;(await permit()).succeeded({ costUsd: 2, tokens: null })
    ;(await permit()).failed(failure, FAILED)
    await settle(time)
    expect(problems.length).toBeGreaterThan(0)
    isDown = false
    ;(await permit()).failed(failure, FAILED)
    await settle(time)
    await health.dispose()
    expect((await store.spent(['fleet'], 0))[0]?.usd).toBe(2)
    expect((await store.read('breaker/a')).value).toMatchObject({ failures: 2 })
  })
})

describe('a store that does not answer', () => {
  it('keeps a capped call waiting for a second once, and no later one until it answers', async () => {
    const time = new FakeTime()
    const store = new MemoryStore()
    const answer = Promise.withResolvers<void>()
    let isAway = false
    const away = new Proxy(store, {
      get(target, name: keyof ProviderStore) {
        const member = target[name] as (...given: unknown[]) => unknown
        const late = (...given: unknown[]) => answer.promise.then(() => member.apply(target, given))
        return isAway ? late : member.bind(target)
      },
    })
    const { ask, choose, health } = processOn(away, time, {
      providers: [{ id: 'a', caps: [{ per: 'day', usd: 1 }] }],
    })
    expect((await choose()).permit).toBeDefined()
    isAway = true
    await time.advance(30_000)
    const first = ask()
    await time.advance(1_000)
    expect((await first).permit).toBeDefined()
    await time.advance(10_001)
    expect((await ask()).permit).toBeDefined()
    isAway = false
    answer.resolve()
    await store.add([{ scope: 'quota/a', at: time.now(), usd: 2, tokens: 0, requests: 1 }])
    await health.flush()
    expect((await choose()).permit).toBeUndefined()
  })
})

describe('a store that fails at first', () => {
  it('fails the calls that need it, and is read by the first call after it is back', async () => {
    const time = new FakeTime()
    const store = new MemoryStore()
    const capped: HealthOptions = { providers: [{ id: 'a', caps: [{ per: 'day', usd: 1 }] }] }
    const before = processOn(store, time, capped)
    await before.health.pause('a')
    let isDown = true
    const flaky = new Proxy(store, {
      get(target, name: keyof ProviderStore) {
        const member = target[name] as (...given: unknown[]) => unknown
        return (...given: unknown[]) =>
          isDown && name !== 'onChange' ? Promise.reject(new Error('locked')) : member.apply(target, given)
      },
    })
    const { ask, choose } = processOn(flaky, time, capped)
    await expect(ask()).rejects.toThrow('locked')
    isDown = false
    expect((await choose()).passedOver[0]?.reason).toBe('paused by a person')
    isDown = true
    await time.advance(60_000)
    expect((await choose()).passedOver[0]?.reason).toBe('paused by a person')
  })
})

type Step =
  | { do: 'ask' | 'ask both' | 'succeed' | 'fail' | 'release' | 'restart' }
  | { do: 'block'; ms: number }
  | { do: 'charge'; usd: number }
  | { do: 'wait'; ms: number }
  | { do: 'jump'; ms: number }

const PLAIN: Step[] = [
  { do: 'ask' },
  { do: 'ask both' },
  { do: 'fail' },
  { do: 'succeed' },
  { do: 'release' },
]
const LENGTHS = fc.constantFrom(1, 1_000, 5_000, 21_000, 70_000, 200_000)
const steps = fc.array(
  fc.tuple(
    fc.integer({ min: 0, max: 1 }),
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...PLAIN) },
      { weight: 1, arbitrary: fc.constant<Step>({ do: 'restart' }) },
      { weight: 3, arbitrary: LENGTHS.map((ms): Step => ({ do: 'wait', ms })) },
      { weight: 1, arbitrary: LENGTHS.map((ms): Step => ({ do: 'jump', ms })) },
      { weight: 1, arbitrary: LENGTHS.map((ms): Step => ({ do: 'jump', ms: -ms })) },
      { weight: 2, arbitrary: LENGTHS.map((ms): Step => ({ do: 'block', ms })) },
      {
        weight: 1,
        arbitrary: fc.double({ min: 0, max: 1, noNaN: true }).map((usd): Step => ({ do: 'charge', usd })),
      },
    ),
  ),
  { minLength: 10, maxLength: 60, size: 'max' },
)

interface OneOfTwo {
  one: ReturnType<typeof processOn>
  held: Permit[]
  probes: Set<Permit>
}

/** Two processes on one store and one clock, driven by the steps; records every violation. */
class Played {
  readonly faults: string[] = []
  charged = 0
  readonly #store = new MemoryStore()
  readonly #time = new FakeTime()
  readonly #options: HealthOptions
  readonly #all: OneOfTwo[]
  /** The end of the longest block, on the monotonic clock; a success may end it earlier. */
  #blockedUntil = 0

  constructor(consecutive: number) {
    const breaker = { consecutive, minimum: Infinity, cooldownMs: 5_000, maxCooldownMs: 5_000 }
    this.#options = { providers: [{ id: 'a', caps: [{ per: 35 * 86_400_000, usd: 1e6 }], breaker }] }
    this.#all = [this.#start(), this.#start()]
  }

  async play(index: number, step: Step): Promise<void> {
    const { one, held, probes } = this.#all[index] as OneOfTwo
    switch (step.do) {
      case 'ask':
        this.#ask(index)
        break
      case 'ask both':
        this.#ask(0)
        this.#ask(1)
        break
      case 'wait':
        await this.#time.advance(step.ms)
        break
      case 'jump':
        this.#time.jump(step.ms)
        // A clock set forward ends blocks; a clock set back does not.
        if (step.ms > 0) this.#blockedUntil = 0
        break
      case 'restart':
        await one.health.dispose()
        this.#all[index] = this.#start()
        break
      default: {
        const permit = held.shift()
        if (!permit) break
        probes.delete(permit)
        this.#settle(permit, step)
      }
    }
    await this.#time.advance(0)
    const out = this.#all.reduce((sum, { probes }) => sum + probes.size, 0)
    if (out > 1) this.faults.push(`${out} probes are out`)
  }

  async end(): Promise<void> {
    // Twice, so that each has read what the other wrote.
    for (let round = 0; round < 2; round++) for (const { one } of this.#all) await one.health.flush()
    for (const { one } of this.#all) {
      const used = (await one.health.status())[0]?.windows[0]?.used as number
      if (used < this.charged - 1e-9) this.faults.push(`the window shows ${used} of ${this.charged}`)
      await one.health.dispose()
    }
  }

  #start(): OneOfTwo {
    return { one: processOn(this.#store, this.#time, this.#options), held: [], probes: new Set() }
  }

  #ask(index: number): void {
    const { one, held, probes } = this.#all[index] as OneOfTwo
    void one.ask().then(({ permit }) => {
      // A process never uses what it receives after its end.
      if (!permit || this.#all[index]?.one !== one) return
      if (this.#time.monotonic() < this.#blockedUntil) this.faults.push('admitted while blocked')
      held.push(permit)
      if ('probeId' in permit && permit.probeId !== undefined) probes.add(permit)
    })
  }

  #settle(permit: Permit, step: Step): void {
    if (step.do === 'fail') permit.failed(failure, FAILED)
    else if (step.do === 'succeed') {
      permit.succeeded()
      this.#blockedUntil = 0
    } else if (step.do === 'charge') {
      permit.released({ costUsd: step.usd, tokens: null })
      this.charged += step.usd
    } else if (step.do === 'block') {
      const blockUntil = this.#time.now() + step.ms
      permit.failed({ ...failure, class: 'throttle', kind: 'quota' }, { breaker: 'none', blockUntil })
      this.#blockedUntil = Math.max(this.#blockedUntil, this.#time.monotonic() + step.ms)
    } else permit.released()
  }
}

describe('under random steps', () => {
  it('no two probes are out, no block is lost, and no window shows less than was charged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(2, Infinity), steps, async (consecutive, list) => {
        const played = new Played(consecutive)
        // If a breaker can open, it is open, and about to become half-open.
        for (const step of ['ask both', 'fail', 'ask both', 'fail'] as const) {
          await played.play(0, { do: step })
          await played.play(1, { do: step })
        }
        await played.play(0, { do: 'wait', ms: 6_000 })
        for (const [index, step] of list) await played.play(index, step)
        await played.end()
        expect(played.faults).toEqual([])
      }),
      { numRuns: sampled(500) },
    )
  })
})
