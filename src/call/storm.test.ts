import { describe, expect, it } from 'vitest'
import { classify } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { Health } from '../provider/health.ts'
import { MemoryStore } from '../provider/memory-store.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { call } from './call.ts'
import { type CallFailed, isCallFailed } from './call-failed.ts'
import type { CallOptions } from './options.ts'

const tooMany = () => Object.assign(new Error('Too Many Requests'), { status: 429 })

/** A provider that answers after 300 ms, and refuses while `isLimited`. */
function storm(isLimited: (now: number) => boolean) {
  const time = new FakeTime()
  let state = 7
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const gate = new Health({ time, random })
  const begun = time.monotonic()
  const seen = { sent: 0, refused: 0, served: 0, waits: [] as number[], failures: [] as CallFailed[] }
  const work = async () => {
    seen.sent++
    await new Promise<void>(resolve => void time.after(20, resolve))
    if (isLimited(time.monotonic() - begun)) {
      seen.refused++
      throw tooMany()
    }
    await new Promise<void>(resolve => void time.after(280, resolve))
    return 'answer'
  }
  const ask = async (options: CallOptions = {}) => {
    const from = time.monotonic()
    try {
      await call(work, { provider: 'acme', health: gate, time, random, budgetMs: 20_000, ...options })
      seen.served++
      seen.waits.push(time.monotonic() - from)
    } catch (error) {
      if (!isCallFailed(error)) throw error
      seen.failures.push(error)
    }
  }
  /** Asks `count` times, evenly over `ms`. */
  const over = (count: number, ms: number, options?: CallOptions) =>
    time.until(
      Promise.all(
        Array.from(
          { length: count },
          (_, index) =>
            new Promise<void>(resolve => {
              time.after((index * ms) / count, () => void ask(options).then(resolve))
            }),
        ),
      ),
    )
  return { time, random, gate, seen: Object.assign(seen, { work }), ask, over }
}

describe('a storm of refusals without a time', () => {
  it.each([[1], [2], [5]])(
    'of five seconds: with %i retries, all of 120 calls are served, because those go first that can be refused',
    async maxRetries => {
      const { over, seen } = storm(now => now < 5_000)
      await over(120, 30_000, { maxRetries })
      expect(seen.served).toBe(120)
      expect(seen.refused).toBeLessThanOrEqual(5)
    },
  )

  it('of one call does not hold up those that wait: they go as soon as a call is served', async () => {
    const { over, seen } = storm(now => now < 22)
    await over(20, 100)
    expect(seen.refused).toBe(1)
    expect(seen.served).toBe(20)
    expect(Math.max(...seen.waits)).toBeLessThan(4_000)
  })

  it('of many calls at once loses none that its rate can serve in time', async () => {
    let tokens = 5
    let filledAt = 0
    const { over, seen } = storm(now => {
      tokens = Math.min(5, tokens + (now - filledAt) / 500)
      filledAt = now
      return tokens < 1 || tokens-- < 0
    })
    await over(40, 1, { maxRetries: 5, budgetMs: 40_000 })
    expect(seen.served).toBe(40)
  })

  it('lets calls through in the order in which they began', async () => {
    const { time, seen, gate, random } = storm(now => now < 3_000)
    const ended: number[] = []
    const begin = (index: number) =>
      call(() => seen.work(), { provider: 'acme', health: gate, time, random, maxRetries: 9 }).then(() =>
        ended.push(index),
      )
    const calls: Promise<unknown>[] = []
    for (let index = 0; index < 8; index++) {
      calls.push(begin(index))
      await time.advance(10)
    }
    await time.until(Promise.all(calls))
    expect(ended).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  it('lets a retry that is urgent go before calls that began earlier', async () => {
    const { time, gate, random, seen } = storm(now => now < 1_500)
    const ended: string[] = []
    const begin = (name: string, urgent: boolean) =>
      call(() => seen.work(), { provider: 'acme', health: gate, time, random, urgent, maxRetries: 9 }).then(
        () => ended.push(name),
      )
    const calls = [begin('first', false), begin('second', false), begin('urgent', true)]
    await time.until(Promise.all(calls))
    expect(ended[0]).toBe('urgent')
  })

  it('paces all processes that share a store, and a success in one wakes those that wait in another', async () => {
    const time = new FakeTime()
    const store = new MemoryStore()
    const [one, two] = [1, 2].map(() => new Health({ time, store, random: () => 0.5 })) as [Health, Health]
    const ask = async (gate: Health) => gate.choose({ pool: ['a'], tried: new Set() })
    const refused = await ask(one)
    const failure = classify(tooMany(), { now: time.now() }) as Failure
    refused.permit?.failed(failure, { breaker: 'none', pace: true })
    await time.advance(100)
    const waiting = ask(two)
    await time.advance(800)
    expect((await two.status())[0]).toMatchObject({ admits: false, paced: [{ until: expect.any(Number) }] })
    await time.advance(100)
    const first = await waiting
    expect(first.permit?.provider).toBe('a')
    const next = ask(one)
    await time.advance(500)
    const before = time.monotonic()
    first.permit?.succeeded()
    expect((await time.until(next)).permit?.provider).toBe('a')
    expect(time.monotonic() - before).toBeLessThanOrEqual(1_000)
  })

  it('fails a call early that cannot be served in its budget, and says why', async () => {
    const { time, seen, ask } = storm(() => true)
    await time.until(ask({ maxRetries: 9, budgetMs: 10_000 }))
    const [failed] = seen.failures
    expect(failed?.verdict).toMatchObject({ action: 'cancel', as: 'expired' })
    const begun = time.monotonic()
    await time.until(ask({ budgetMs: 500 }))
    expect(time.monotonic() - begun).toBeLessThan(500)
    expect(seen.failures[1]?.attempts).toEqual([])
    expect(seen.failures[1]?.failure.message).toMatch(/^not tried: nobody goes until .*: Too Many/)
    expect(seen.failures[1]?.message).not.toContain('the provider asked')
  })

  it('sends no call whose time cannot hold an answer: it fails before, and says why', async () => {
    const { time, over, ask, seen } = storm(now => now < 30)
    await over(3, 100)
    const { sent } = seen
    await time.until(ask({ budgetMs: 250 }))
    expect(seen.sent).toBe(sent)
    expect(seen.failures[0]?.failure.message).toMatch(/^not tried: .*, and no answer took less than 300 ms$/)
    await time.until(ask({ budgetMs: 400 }))
    expect(seen.sent).toBe(sent + 1)
  })

  it('takes the first slow answers of a burst for no reason to give up', async () => {
    const { time, random, gate } = storm(() => false)
    let sent = 0
    const ask = (budgetMs: number) =>
      call(
        async () => {
          const isFirst = sent++ === 0
          await new Promise<void>(resolve => void time.after(sent < 4 ? 20_000 : 300, resolve))
          if (isFirst) throw tooMany()
          return 'answer'
        },
        { provider: 'acme', health: gate, time, random, budgetMs },
      )
    await time.until(Promise.all([ask(90_000), ask(90_000), ask(90_000)]))
    expect((await time.until(ask(10_000))).value).toBe('answer')
  })

  it('does not ask a limited provider while another of the pool is healthy', async () => {
    const asked: string[] = []
    let isLimited = true
    const { time, random, gate } = storm(() => false)
    const ask = () =>
      call(
        async ({ provider }) => {
          asked.push(provider as string)
          if (isLimited && provider === 'one') throw tooMany()
          return 'answer'
        },
        { pool: ['one', 'two'], health: gate, time, random, failover: 'first' },
      )
    await time.until(ask())
    isLimited = false
    await time.advance(30_000)
    await time.until(ask())
    expect(asked).toEqual(['one', 'two', 'two'])
    // With nobody else it serves; and a minute after the pause it is preferred again.
    await gate.pause('two')
    await time.until(ask())
    await gate.resume('two')
    await time.advance(32_000)
    await time.until(ask())
    expect(asked.slice(3)).toEqual(['one', 'one'])
  })

  it('of a limit without a burst leaves calls that ask again and again half of what it takes and more', async () => {
    let filledAt = -1_000
    const { ask, seen, time } = storm(now => {
      if (now - filledAt < 500) return true
      filledAt = now
      return false
    })
    const minute = 60_000
    const end = time.monotonic() + 2 * minute
    const agent = async () => {
      while (time.monotonic() < end) await ask({ budgetMs: minute })
    }
    await time.until(Promise.all(Array.from({ length: 16 }, agent)))
    const seconds = (time.monotonic() - end + 2 * minute) / 1_000
    expect(seen.served / seconds).toBeGreaterThan(1.2)
    expect(seen.failures.length).toBeLessThan(10)
  })

  it('at a limit of 60 a minute wastes few requests and misses little of what the limit allows', async () => {
    let tokens = 60
    let filledAt = 0
    const { over, seen } = storm(now => {
      tokens = Math.min(60, tokens + (now - filledAt) / 1_000)
      filledAt = now
      return tokens < 1 || tokens-- < 0
    })
    await over(500, 300_000, { maxRetries: 5, budgetMs: 60_000 })
    // 60 at once, one a second for five minutes, and those that still waited then.
    expect(seen.served).toBeGreaterThanOrEqual(0.95 * (60 + 300 + 60))
    // Also those that were sent too late to be answered in time.
    expect((seen.sent - seen.served) / seen.sent).toBeLessThan(0.05)
  })
})

describe.each([0.05, 0.15, 0.3])('refusals that strike calls by chance, a share of %d,', share => {
  const AGENTS = 50
  const QUESTIONS = 8

  /** Every agent asks one question after another; returns how many were answered, and when the last was. */
  async function agents(answered: (work: () => Promise<string>, time: FakeTime) => Promise<unknown>) {
    const time = new FakeTime()
    let state = 11
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state / 2 ** 32
    }
    const pass = (ms: number) => new Promise<void>(resolve => void time.after(ms, resolve))
    const work = async () => {
      await pass(50)
      if (random() < share) throw tooMany()
      await pass(1_000 + 2_000 * random())
      return 'answer'
    }
    const begun = time.monotonic()
    let right = 0
    let running = AGENTS
    let endMs = 0
    const all = Array.from({ length: AGENTS }, async () => {
      for (let n = 0; n < QUESTIONS; n++)
        await answered(work, time).then(
          () => right++,
          () => {},
        )
      running--
      endMs = time.monotonic() - begun
    })
    while (running > 0) await time.advance(50)
    await Promise.all(all)
    return { right, endMs }
  }

  it('make the others no slower than without us', async () => {
    /** As the official SDKs retry. */
    const bare = await agents(async (work, time) => {
      for (let retries = 0; ; retries++)
        try {
          return await work()
        } catch (error) {
          if (retries === 2) throw error
          await new Promise<void>(resolve => void time.after(500 * 2 ** retries, resolve))
        }
    })
    const gate = new Map<FakeTime, Health>()
    const ours = await agents((work, time) => {
      if (!gate.has(time)) gate.set(time, new Health({ time, random: () => 0.5 }))
      return call(work, { provider: 'acme', health: gate.get(time) as Health, time, random: () => 0.5 })
    })
    expect(ours.right).toBeGreaterThanOrEqual(bare.right)
    expect(ours.endMs).toBeLessThan(bare.endMs * 1.1)
  })
})
