import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Health } from '../provider/health.ts'
import { FakeTime } from '../testing/core/fake-time.ts'
import { call } from './call.ts'

/** A provider that fails for part of every period, or by chance; and the calls that want an answer from it. */
interface Scene {
  periodMs: number
  /** The part of a period in which every call fails. */
  down: number
  /** Where in the period the scene begins. */
  phase: number
  /** The part of the other calls that fails. */
  chance: number
  calls: number
  overMs: number
  budgetMs: number
  retries: number
  providers: number
  /** How long an answer takes. Default 300 ms. */
  answerMs?: number
}

const scenes = fc.record<Scene>({
  periodMs: fc.integer({ min: 2_000, max: 60_000 }),
  down: fc.integer({ min: 0, max: 90 }).map(percent => percent / 100),
  phase: fc.integer({ min: 0, max: 99 }).map(percent => percent / 100),
  chance: fc.constantFrom(0, 0, 0, 0.1, 0.5, 0.9),
  calls: fc.integer({ min: 1, max: 100 }),
  overMs: fc.constantFrom(1, 1_000, 30_000, 60_000),
  budgetMs: fc.constantFrom(3_000, 10_000, 20_000, 60_000),
  retries: fc.constantFrom(0, 1, 2, 5),
  providers: fc.constantFrom(1, 1, 2),
})

const REFUSAL_MS = 20

function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Plays a scene with us, or with a loop that retries after the same backoff, with each provider in turn. */
async function play(scene: Scene, isOurs: boolean) {
  const { periodMs, down, phase, chance, calls, overMs, budgetMs, retries, providers, answerMs = 300 } = scene
  const time = new FakeTime()
  const [random, world] = [seeded(31), seeded(7)]
  const health = new Health({ time, random })
  const tally = { served: 0, sent: 0, wasted: 0, waitedMs: 0 }
  const sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const cancel = time.after(ms, resolve)
      signal.addEventListener('abort', () => {
        cancel()
        reject(signal.reason)
      })
    })
  const work = async (provider: number, signal: AbortSignal) => {
    tally.sent++
    // The second provider is down at another time.
    const at = (time.monotonic() / periodMs + phase + provider / 2) % 1
    const fails = at < down || world() < chance
    if (fails) tally.wasted++
    await sleep(fails ? REFUSAL_MS : answerMs, signal)
    if (fails) throw Object.assign(new Error('Overloaded'), { status: 529 })
  }
  const pool = Array.from({ length: providers }, (_, index) => String(index))
  const ours = () =>
    call(({ provider, signal }) => work(Number(provider), signal), {
      ...{ pool, health, time, random, budgetMs, maxRetries: retries },
    })
  const bare = async () => {
    const stop = new AbortController()
    const cancel = time.after(budgetMs, () => stop.abort(new Error('out of time')))
    for (let tries = 0; ; tries++) {
      try {
        await work(tries % providers, stop.signal)
        return cancel()
      } catch (error) {
        if (tries >= retries || stop.signal.aborted) throw error
        await sleep(Math.min(30_000, 1_000 * 2 ** tries) * random(), stop.signal)
      }
    }
  }
  const all = Array.from({ length: calls }, async (_, index) => {
    await new Promise<void>(resolve => void time.after((index * overMs) / calls, resolve))
    const from = time.monotonic()
    await (isOurs ? ours() : bare()).then(
      () => {
        tally.served++
        tally.waitedMs += time.monotonic() - from - answerMs
      },
      () => {},
    )
  })
  await time.until(Promise.all(all))
  return tally
}

describe('a call whose providers come and go', () => {
  it('is served at least as often as by a loop with the same retries and budget, and sends no more than that might', async () => {
    const unlucky: Scene[] = []
    const total = { ours: 0, bare: 0, wasted: 0, wastedBare: 0 }
    for (const scene of fc.sample(scenes, { seed: 31, numRuns: 40 })) {
      const [ours, bare] = [await play(scene, true), await play(scene, false)]
      if (ours.served < bare.served * 0.95 - 2) unlucky.push(scene)
      expect(ours.sent).toBeLessThanOrEqual(scene.calls * (scene.retries + scene.providers))
      total.ours += ours.served
      total.bare += bare.served
      total.wasted += ours.wasted
      total.wastedBare += bare.wasted
    }
    // Whoever waits may meet the next outage: that must stay rare.
    expect(unlucky.length, JSON.stringify(unlucky)).toBeLessThanOrEqual(2)
    expect(total.ours).toBeGreaterThan(total.bare)
    expect(total.wasted).toBeLessThan(1.1 * total.wastedBare)
  })

  it('of which nobody else is there, is not ended by the failures of others: one goes first, the others follow', async () => {
    const scene = { periodMs: 20_000, down: 0.2, phase: 0, chance: 0, overMs: 60_000, providers: 1 }
    const burst = { ...scene, calls: 120, budgetMs: 30_000, retries: 5 }
    const { served, wasted } = await play(burst, true)
    expect(served).toBe(120)
    expect(wasted).toBeLessThan(30)
  })

  it('waits for no long answer of another to end: who is not refused for two seconds is being served', async () => {
    const scene = { periodMs: 20_000, down: 0, phase: 0, chance: 0.5, overMs: 30_000, providers: 1 }
    const long = { ...scene, calls: 100, budgetMs: 120_000, retries: 8, answerMs: 30_000 }
    const [ours, bare] = [await play(long, true), await play(long, false)]
    expect(ours.served).toBeGreaterThanOrEqual(bare.served)
    expect(ours.waitedMs / ours.served).toBeLessThan(4_000)
  })
})
