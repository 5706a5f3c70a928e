import { ordered } from '../call/routing.ts'
import type { Capability } from '../capability/capability.ts'
import { providersOf } from '../capability/providers.ts'
import type { QueueDeps } from './queue-deps.ts'

/**
 * The providers of an operation, in the order in which it asks them. Drawn once, so that its runs agree.
 * @param sticky operations with the same key go the same way. Default: by chance
 */
export function routedProviders(
  { pools, routings, prices, random }: Pick<QueueDeps, 'pools' | 'routings' | 'prices' | 'random'>,
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
