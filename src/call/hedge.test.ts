import { describe, expect, it } from 'vitest'
import { Health } from '../provider/health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { call } from './call.ts'
import type { CallFunction } from './context.ts'
import { HedgeBucket, Latencies } from './hedge-bucket.ts'

let pools = 0

/** A call of two providers of its own: the first as slow as given, the second at once. */
async function race(firstMs: number, hedge: number | 'p95', work?: CallFunction<string>) {
  const time = new FakeTime()
  const [a, b] = [`a${++pools}`, `b${pools}`]
  const asked: string[] = []
  const aborted: string[] = []
  const slow: CallFunction<string> = ({ provider, signal }) => {
    asked.push(provider as string)
    signal.addEventListener('abort', () => aborted.push(provider as string))
    if (work) return work({ provider, signal } as never)
    return new Promise(resolve => time.after(provider === a ? firstMs : 1, () => resolve(provider as string)))
  }
  const running = call(slow, { pool: [a, b], hedge, time, health: new Health({ time }), maxRetries: 0 })
  const result = await time.until(running.catch(error => error))
  return { result, asked, aborted, a, b }
}

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

  it('fails as the first does if both fail', async () => {
    const refused = () => Promise.reject(Object.assign(new Error('bad request'), { status: 400 }))
    const { result } = await race(0, 100, refused)
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
