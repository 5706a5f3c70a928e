import { describe, expect, it } from 'vitest'
import { Health } from '../provider/health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { call } from './call.ts'
import type { CallContext, CallFunction } from './context.ts'
import { HedgeBucket, Latencies } from './hedge-bucket.ts'
import type { CallOptions } from './options.ts'

let pools = 0

interface Racing extends CallOptions {
  /** What a try does before it waits; a promise is what it answers. */
  onTry?: (context: CallContext, time: FakeTime) => Promise<string> | undefined
}

/** A call of two providers of its own: the first as slow as given, the second at once. */
async function race(firstMs: number, hedge: number | 'p95', { onTry, ...options }: Racing = {}) {
  const time = new FakeTime()
  const [a, b] = [`a${++pools}`, `b${pools}`]
  const asked: string[] = []
  const aborted: string[] = []
  const slow: CallFunction<string> = context => {
    const { provider, signal } = context
    asked.push(provider as string)
    signal.addEventListener('abort', () => aborted.push(provider as string))
    const answer = onTry?.(context, time)
    if (answer) return answer
    return new Promise(resolve => time.after(provider === a ? firstMs : 1, () => resolve(provider as string)))
  }
  const health = new Health({ time })
  const running = call(slow, { pool: [a, b], hedge, time, health, maxRetries: 0, ...options })
  const result = await time.until(running.catch(error => error))
  return { result, asked, aborted, a, b, time }
}

const refusal = () => Object.assign(new Error('bad request'), { status: 400 })

describe('a hedged call', () => {
  it('asks nobody else if the first answers in time', async () => {
    const { result, asked, a } = await race(50, 100)
    expect([result.value, asked]).toEqual([a, [a]])
    expect(result.attempts).toHaveLength(1)
  })

  it('asks the second if the first is slow, takes the first answer, and ends the other', async () => {
    const { result, asked, aborted, a, b } = await race(60_000, 100)
    expect([result.value, result.provider, asked, aborted]).toEqual([b, b, [a, b], [a]])
    expect(result.attempts).toMatchObject([
      { number: 1, provider: a, failure: { class: 'aborted' } },
      { number: 2, provider: b },
    ])
  })

  it('takes the first after all if that is faster', async () => {
    const { result, a } = await race(101, 100)
    expect([result.value]).toEqual([a])
  })

  it('counts what the slower provider cost, also after the stream of the faster has ended', async () => {
    const time = new FakeTime()
    const [a, b] = [`a${++pools}`, `b${pools}`]
    const work: CallFunction<ReadableStream<string>> = async ({ provider, charge, signal }) => {
      charge({ usd: provider === a ? 0.25 : 0.5 })
      if (provider === a) await new Promise((_, reject) => signal.addEventListener('abort', reject))
      return ReadableStream.from(['hello'])
    }
    const options = { pool: [a, b], hedge: 100, time, health: new Health({ time }), maxRetries: 0 }
    const result = await time.until(call(work, options))
    expect(result.costUsd).toBe(0.75)
    const said: string[] = []
    for await (const text of result.value) said.push(text)
    expect(said).toEqual(['hello'])
    expect([result.provider, result.costUsd]).toEqual([b, 0.75])
  })

  it('ends within the budget of the call, which both share', async () => {
    const time = new FakeTime()
    const hangs: CallFunction<string> = () => new Promise(() => {})
    const options = { pool: [`a${++pools}`, `b${pools}`], hedge: 900, budgetMs: 1_000, time }
    await time.until(call(hangs, { ...options, health: new Health({ time }) }).catch(() => {}))
    expect(time.monotonic()).toBe(1_000)
  })

  it('asks nobody else once the call has cost what it may', async () => {
    const { asked, a } = await race(60_000, 100, {
      maxCostUsd: 0.25,
      budgetMs: 10_000,
      onTry: ({ charge }) => void charge({ usd: 0.25 }),
    })
    expect(asked).toEqual([a])
  })

  it('asks the second only once: retries are left to the first', async () => {
    const overloaded = () => Object.assign(new Error('Overloaded'), { status: 529 })
    const { result, asked, a, b } = await race(5_000, 100, {
      maxRetries: 2,
      onTry: ({ provider }) => (provider?.startsWith('b') ? Promise.reject(overloaded()) : undefined),
    })
    expect([result.value, asked]).toEqual([a, [a, b]])
  })

  it('asks nobody else after a call of the same providers failed', async () => {
    const [time, asked] = [new FakeTime(), [] as string[]]
    const options = { pool: [`a${++pools}`, `b${pools}`], hedge: 100, time, maxRetries: 0 }
    const once = (work: CallFunction<number>) =>
      time.until(call(work, { ...options, health: new Health({ time }) }).catch(() => {}))
    await once(() => Promise.reject(refusal()))
    await once(({ provider }) => {
      asked.push(provider as string)
      return new Promise(resolve => time.after(5_000, () => resolve(1)))
    })
    expect(asked).toEqual([options.pool[0]])
  })

  it('asks nobody else once output was delivered', async () => {
    const { result, asked, a } = await race(200, 100, { onTry: ({ committed }) => void committed() })
    expect([result.value, asked]).toEqual([a, [a]])
  })

  it('ends the other as soon as one of two has delivered output', async () => {
    const time = new FakeTime()
    const [a, b] = [`a${++pools}`, `b${pools}`]
    const ended: string[] = []
    const work: CallFunction<string> = ({ provider, signal, committed }) => {
      signal.addEventListener('abort', () => ended.push(`${provider} at ${time.monotonic()}`))
      time.after(provider === a ? 250 : 100, committed)
      return new Promise(resolve => time.after(provider === a ? 300 : 400, () => resolve(provider as string)))
    }
    const options = { pool: [a, b], hedge: 100, time, health: new Health({ time }) }
    expect((await time.until(call(work, options))).value).toBe(b)
    expect(ended).toEqual([`${a} at 200`])
  })

  it('does not keep an answer back while the slower one ends', async () => {
    const { time } = await race(60_000, 100, { graceMs: 5_000 })
    expect(time.monotonic()).toBeLessThan(5_000)
  })

  it('tells what both cost if both fail', async () => {
    const { result } = await race(0, 100, {
      onTry: ({ charge }, time) => {
        charge({ usd: 0.25 })
        return new Promise((_, reject) => void time.after(500, () => reject(refusal())))
      },
    })
    expect(result).toMatchObject({ costUsd: 0.5, attempts: [{ number: 1 }, { number: 2 }] })
  })

  it('fails as the first does if both fail', async () => {
    const { result } = await race(0, 100, { onTry: () => Promise.reject(refusal()) })
    expect(result).toMatchObject({ failure: { kind: 'invalid_request' } })
  })
})

describe('the bucket of hedges', () => {
  it('lets one call in twenty be asked twice, and none while calls fail', () => {
    const bucket = new HedgeBucket()
    let hedges = 0
    for (let i = 0; i < 1_000; i++) {
      if (bucket.take()) hedges++
      bucket.settled(true)
    }
    expect(hedges).toBeGreaterThan(40)
    expect(hedges).toBeLessThanOrEqual(51)
    for (let i = 0; i < 100; i++) bucket.settled(false)
    expect(bucket.take()).toBe(false)
  })
})

describe('what is slow', () => {
  it('is known from twenty answers on', () => {
    const latencies = new Latencies()
    for (let ms = 1; ms < 20; ms++) latencies.note(ms)
    expect(latencies.p95).toBeUndefined()
    latencies.note(20)
    expect(latencies.p95).toBe(19)
    for (let i = 0; i < 200; i++) latencies.note(5)
    expect(latencies.p95).toBe(5)
  })
})
