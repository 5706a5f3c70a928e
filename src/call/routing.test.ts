import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../lab/index.ts'
import { call } from './call.ts'
import { cheapest, drawnBy, ordered, weighted } from './routing.ts'

const facts = { random: () => 0.5, modelAt: () => 'm' }

describe('the order of providers', () => {
  it('has each of them once, whatever the routing', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 6 }),
        fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { minLength: 6, maxLength: 6 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (providers, weights, random) => {
          const routing = Object.fromEntries(
            providers.map((provider, at) => [provider, weights[at] as number]),
          )
          for (const way of ['order', 'cheapest', routing] as const)
            expect([...ordered(providers, way, { ...facts, random: () => random })].sort()).toEqual(
              [...providers].sort(),
            )
        },
      ),
    )
  })

  it('has those without a weight last, whatever is drawn', () => {
    for (const draw of [0, 0.5, 0.999])
      expect(weighted(['a', 'b', 'c'] as const, { a: 0, c: 1 }, () => draw)).toEqual(['c', 'a', 'b'])
  })

  it('is by chance as often as weights say', () => {
    const random = seededRandom(7)
    const first = { a: 0, b: 0, c: 0 }
    for (let i = 0; i < 5_000; i++)
      first[weighted(['a', 'b', 'c'] as const, { a: 3, b: 1 }, random)[0] as 'a']++
    expect(first.a / 5_000).toBeCloseTo(0.75, 1)
    expect(first.c).toBe(0)
  })

  it('is the same for a key, spread over keys, and changes for few keys when a provider goes', () => {
    const keys = Array.from({ length: 2_000 }, (_, at) => `session ${at}`)
    const weights = { a: 1, b: 1, c: 1 }
    const firstOf = (key: string, providers: readonly string[]) =>
      ordered(providers, weights, { ...facts, sticky: key })[0]
    const all = keys.map(key => firstOf(key, ['a', 'b', 'c']))
    expect(keys.map(key => firstOf(key, ['c', 'b', 'a']))).toEqual(all)
    for (const provider of ['a', 'b', 'c'])
      expect(all.filter(one => one === provider).length / 2_000).toBeCloseTo(1 / 3, 1)
    const without = keys.map(key => firstOf(key, ['a', 'b']))
    expect(all.every((one, at) => one === 'c' || one === without[at])).toBe(true)
    expect(drawnBy('k', 'a')).toBe(drawnBy('k', 'a'))
  })

  it('is by price, and leaves the unknown last as listed', () => {
    const price: Record<string, number | undefined> = { b: 2, d: 1 }
    expect(cheapest(['a', 'b', 'c', 'd'], provider => price[provider])).toEqual(['d', 'b', 'a', 'c'])
  })
})

describe('a call', () => {
  const first = async (options: object) =>
    (await call(({ provider }) => provider, { pool: ['a', 'b'], ...options })).value

  it('asks the cheapest first', async () => {
    const prices = { x: { input: 2, output: 2 }, y: { input: 1, output: 1 } }
    expect(await first({ routing: 'cheapest', prices, models: { a: 'x', b: 'y' } })).toBe('b')
  })

  it('goes by weight, and stays with its key', async () => {
    expect(await first({ routing: { b: 1 } })).toBe('b')
    const keyed = { routing: { a: 1, b: 1 }, sticky: 'session 1' }
    expect(new Set(await Promise.all([1, 2, 3, 4].map(() => first(keyed)))).size).toBe(1)
  })

  it('refuses a routing that is none', async () => {
    await expect(first({ routing: 'fastest' })).rejects.toThrow(/routing must be/)
    await expect(first({ routing: { a: -1 } })).rejects.toThrow(/routing must be/)
  })
})
