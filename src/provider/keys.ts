/** Names under which pieces of state are kept; what users name is escaped, so that a name cannot be a path. */
export const keys = {
  breaker: (provider: string) => `breaker/${encodeURIComponent(provider)}`,
  pause: (provider: string) => `pause/${encodeURIComponent(provider)}`,
  credentialBlock: (provider: string) => `block/provider/${encodeURIComponent(provider)}`,
  quotaBlock: (quota: string, model?: string) =>
    `block/quota/${encodeURIComponent(quota)}${model === undefined ? '' : `/${encodeURIComponent(model)}`}`,
  fill: (quota: string, model?: string) =>
    `fill/${encodeURIComponent(quota)}${model === undefined ? '' : `/${encodeURIComponent(model)}`}`,
  fleet: 'fleet',
} as const

/** Scopes of spends. */
export const scopes = {
  quota: (quota: string) => `quota/${encodeURIComponent(quota)}`,
  fleet: 'fleet',
} as const

/** What a key is of; undefined for one that is none of ours. */
export type KeyOf =
  | { of: 'breaker' | 'pause' | 'credentialBlock'; provider: string }
  | { of: 'quotaBlock' | 'fill'; quota: string; model?: string }
  | { of: 'fleet' }

export function readKey(key: string): KeyOf | undefined {
  const [head, ...rest] = decoded(key)
  if (head === 'fleet' && rest.length === 0) return { of: 'fleet' }
  if ((head === 'breaker' || head === 'pause') && rest.length === 1)
    return { of: head, provider: rest[0] as string }
  if (head === 'fill') return scoped('fill', rest)
  if (head !== 'block') return undefined
  const [kind, ...names] = rest
  if (kind === 'provider' && names.length === 1)
    return { of: 'credentialBlock', provider: names[0] as string }
  return kind === 'quota' ? scoped('quotaBlock', names) : undefined
}

/** Empty for a key that none of ours can be, so that a foreign one in the store stops nobody. */
function decoded(key: string): string[] {
  try {
    return key.split('/').map(decodeURIComponent)
  } catch {
    return []
  }
}

function scoped(of: 'quotaBlock' | 'fill', [quota, model, ...more]: readonly string[]): KeyOf | undefined {
  if (quota === undefined || more.length > 0) return undefined
  return model === undefined ? { of, quota } : { of, quota, model }
}
