import { present } from '../failure/present.ts'
/** Keys under which state is stored. Names from users are escaped, so a name cannot act as a path. */
export const keys = {
  breaker: (provider: string, model?: string) => path('breaker', provider, model),
  pause: (provider: string) => path('pause', provider),
  /** @param credential its hash */
  login: (provider: string, credential?: string) => path('block/provider', provider, credential),
  loginStrikes: (provider: string, credential?: string) => path('strikes/provider', provider, credential),
  quotaBlock: (quota: string, model?: string) => path('block/quota', quota, model),
  quotaStrikes: (quota: string, model?: string) => path('strikes/quota', quota, model),
  fill: (quota: string, model?: string) => path('fill', quota, model),
  pace: (quota: string, model?: string) => path('pace', quota, model),
  fleet: 'fleet',
} as const

/** Scopes of spending. */
export const scopes = {
  quota: (quota: string) => path('quota', quota),
  fleet: 'fleet',
} as const

/** What a key refers to; undefined for a foreign key. */
export type KeyOf =
  | { of: 'pause'; provider: string }
  | { of: 'breaker'; provider: string; model?: string }
  | { of: 'login' | 'loginStrikes'; provider: string; credential?: string }
  | { of: 'quotaBlock' | 'quotaStrikes' | 'fill' | 'pace'; quota: string; model?: string }
  | { of: 'fleet' }

export function readKey(key: string): KeyOf | undefined {
  const [head, ...rest] = decoded(key)
  if (head === 'fleet' && rest.length === 0) return { of: 'fleet' }
  if (head === 'pause' && rest.length === 1) return { of: 'pause', provider: rest[0] as string }
  if (head === 'breaker' || head === 'fill' || head === 'pace') return scoped(head, rest)
  if (head !== 'block' && head !== 'strikes') return undefined
  const [kind, ...names] = rest
  if (kind === 'provider') return scoped(head === 'block' ? 'login' : 'loginStrikes', names)
  return kind === 'quota' ? scoped(head === 'block' ? 'quotaBlock' : 'quotaStrikes', names) : undefined
}

function path(head: string, name: string, part?: string): string {
  const whole = `${head}/${encodeURIComponent(name)}`
  return part === undefined ? whole : `${whole}/${encodeURIComponent(part)}`
}

/** Empty for a foreign key, so one in the store does no harm. */
function decoded(key: string): string[] {
  try {
    return key.split('/').map(decodeURIComponent)
  } catch {
    return []
  }
}

type Scoped = Exclude<KeyOf['of'], 'pause' | 'fleet'>

function scoped(of: Scoped, [name, part, ...more]: readonly string[]): KeyOf | undefined {
  if (name === undefined || more.length > 0) return undefined
  switch (of) {
    case 'breaker':
      return { of, provider: name, ...present({ model: part }) }
    case 'login':
    case 'loginStrikes':
      return { of, provider: name, ...present({ credential: part }) }
    default:
      return { of, quota: name, ...present({ model: part }) }
  }
}
