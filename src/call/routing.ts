import type { Routing } from '../provider/settings.ts'
import { type Prices, priceOf } from './price.ts'

/** What an order depends on. */
export interface RoutingFacts {
  random: () => number
  /** Calls with the same key go the same way. */
  sticky?: string | undefined
  prices?: Prices | undefined
  modelAt: (provider: string) => string | undefined
}

/** The providers in the order in which a call asks them. */
export function ordered<P extends string>(
  providers: readonly P[],
  routing: Routing<P>,
  facts: RoutingFacts,
): readonly P[] {
  if (routing === 'order') return providers
  if (routing === 'cheapest') return cheapest(providers, provider => usualPrice(provider, facts))
  const { random, sticky } = facts
  return weighted(providers, routing, sticky === undefined ? random : provider => drawnBy(sticky, provider))
}

/**
 * By chance: a provider is first as often as its weight among all. Without a weight, or with 0, it comes after all others.
 * @param draw a number in [0, 1) for each provider: random, or always the same for a key
 */
export function weighted<P extends string>(
  providers: readonly P[],
  weights: Readonly<Partial<Record<P, number>>>,
  draw: (provider: P) => number,
): readonly P[] {
  // A race: each arrives after an exponential time, the heavier the sooner.
  const arrival = new Map(
    providers.map(provider => [provider, -Math.log(1 - draw(provider)) / (weights[provider] ?? 0)]),
  )
  const at = (provider: P) => (weights[provider] ? (arrival.get(provider) as number) : Infinity)
  return sorted(providers, at)
}

/** The cheapest first; those whose price is unknown last, as they are listed. */
export function cheapest<P extends string>(
  providers: readonly P[],
  price: (provider: P) => number | undefined,
): readonly P[] {
  return sorted(providers, provider => price(provider) ?? Infinity)
}

/** Stable, also for those that are equal. */
function sorted<P extends string>(providers: readonly P[], by: (provider: P) => number): readonly P[] {
  const keys = new Map(providers.map(provider => [provider, by(provider)]))
  const of = (provider: P) => keys.get(provider) as number
  return [...providers].sort((a, b) => (of(a) === of(b) ? 0 : of(a) - of(b)))
}

/** Most questions are longer than their answers. */
const USUAL = { inputTokens: 3_000, outputTokens: 1_000, cachedTokens: 0, cacheWriteTokens: 0 }

function usualPrice(provider: string, { prices, modelAt }: RoutingFacts): number | undefined {
  return prices && priceOf(prices, { provider, model: modelAt(provider), usage: USUAL })
}

/** A number in [0, 1) that a key always draws for a provider, so that few keys move when a provider comes or goes. */
export function drawnBy(key: string, provider: string): number {
  let hash = 0x811c9dc5
  for (const char of `${provider}\n${key}`)
    hash = Math.imul(hash ^ (char.codePointAt(0) as number), 0x01000193)
  // Similar keys must not draw similar numbers.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
