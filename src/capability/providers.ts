import type { Capability } from './capability.ts'
import { quote } from './error.ts'
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
