import type { Prices } from '../call/price.ts'
import { ordered } from '../call/routing.ts'
import { quote } from '../failure/quote.ts'
import type { PoolSettings } from '../provider/settings.ts'
import type { Capability } from './capability.ts'
import { fail } from './settings.ts'

/**
 * Names of the providers that can serve a capability, the preferred one first; empty if it needs none.
 * @param pools the providers of each pool, by pool name
 */
export function providersOf(
  { name, provider, pool }: Pick<Capability, 'name' | 'provider' | 'pool'>,
  pools: ReadonlyMap<string, readonly string[]> = new Map(),
): readonly string[] {
  if (provider !== undefined) return [provider]
  if (pool === undefined) return []
  if (typeof pool !== 'string') return pool
  const known = [...pools.keys()].join(', ')
  return pools.get(pool) ?? fail(name, `there is no pool ${quote(pool)}; known: ${known || 'none'}`)
}

/** What is known of pools. */
export interface Pools {
  /** The providers of each pool, by pool name. */
  pools: ReadonlyMap<string, readonly string[]> | undefined
  routings: ReadonlyMap<string, Pick<PoolSettings, 'routing' | 'models'>> | undefined
  prices: Prices | undefined
  random: () => number
}

/**
 * The providers of an operation, in the order in which it asks them. Drawn once, so that its runs agree.
 * @param sticky operations with the same key go the same way. Default: by chance
 */
export function routedProviders(
  { pools, routings, prices, random }: Pools,
  capability: Capability,
  sticky: string | undefined,
): readonly string[] {
  const providers = providersOf(capability, pools)
  const { pool, model } = capability
  const { routing, models } = (typeof pool === 'string' && routings?.get(pool)) || {}
  if (routing === undefined || providers.length < 2) return providers
  const usual = typeof model === 'string' ? model : undefined
  return ordered(providers, routing, { random, sticky, prices, modelAt: name => models?.[name] ?? usual })
}
