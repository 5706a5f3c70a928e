import { oneLine } from '../failure/text/printable.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { NewNotice } from '../ledger/notice.ts'
import type { Operation } from '../ledger/operation.ts'
import { expiresAt } from './lifetime.ts'
import { isSurface } from './names.ts'
import { BACK, DOWN, PARKED, type Weight } from './weight.ts'

/** What can be wrong with a provider. */
export type ProviderTrouble = 'down' | 'login' | 'billing'

/** Types of the notices about a provider. */
export const PROVIDER_TYPES = ['down', 'login', 'billing', 'back'] as const

/** What an event says to be wrong with which provider; undefined if nothing that people have to know. */
export function troubleOf(
  { type, data }: LedgerEvent,
  operation: Operation | undefined,
): { provider: string; trouble: ProviderTrouble } | undefined {
  const provider = typeof data?.provider === 'string' ? data.provider : operation?.providers[0]
  if (provider === undefined || isSurface(provider)) return undefined
  if (type === 'parked') {
    const trouble = data?.for === 'login' ? 'login' : data?.for === 'payment' ? 'billing' : undefined
    return trouble && { provider, trouble }
  }
  const trouble = type === 'provider_blocked' ? blockTroubleOf(data ?? {}) : undefined
  return trouble && { provider, trouble }
}

/** A limit that lifts by itself is no trouble: operations wait for it, and nobody has to. */
function blockTroubleOf({ cause, kind }: Record<string, unknown>): ProviderTrouble | undefined {
  switch (cause) {
    case 'payment':
      return 'billing'
    case 'login':
      return 'login'
    case 'breaker':
      return 'down'
    case undefined:
      return kind === 'billing' ? 'billing' : kind === 'auth' ? 'login' : undefined
    default:
      return undefined
  }
}

/**
 * Says once that something is wrong with a provider, until it works again, and once a day while it does not.
 * @param last the last notice about this provider, whatever it said
 */
export function troubleNotice(
  { id, at, data }: LedgerEvent,
  { provider, trouble }: { provider: string; trouble: ProviderTrouble },
  last: { back?: NewNotice | undefined },
  operation: Operation | undefined,
): NewNotice {
  const { weight, words, remedy } = TROUBLES[trouble]
  const day = new Date(at).toISOString().slice(0, 10)
  const said = operation?.failure?.message ?? (typeof data?.reason === 'string' ? data.reason : undefined)
  return {
    key: `${trouble}:${provider}:${last.back?.event ?? 'first'}:${day}`,
    event: id,
    type: trouble,
    ...weight,
    provider,
    title: oneLine(`${provider} ${words}`),
    body: [...(said === undefined ? [] : [oneLine(said)]), remedy(provider)].join('\n'),
    expiresAt: expiresAt(weight.disposition, at),
  }
}

const TROUBLES: Readonly<
  Record<ProviderTrouble, { weight: Weight; words: string; remedy: (provider: string) => string }>
> = {
  down: {
    weight: DOWN,
    words: 'is down: its calls fail',
    remedy: provider => `It is tried again automatically. More: mulligan providers show ${provider}`,
  },
  login: {
    weight: PARKED.login.people,
    words: 'refuses its login',
    remedy: provider =>
      `Log in again; what waits then goes on. If it does not: mulligan providers reset ${provider}`,
  },
  billing: {
    weight: PARKED.payment.people,
    words: 'wants to be paid',
    remedy: provider => `When it is paid: mulligan providers reset ${provider}`,
  },
}

/** Says that a provider works again, if somebody was told that it did not. */
export function backNotice(
  { id, at, data }: LedgerEvent,
  last: NewNotice | undefined,
): NewNotice | undefined {
  const provider = data?.provider
  if (typeof provider !== 'string' || isSurface(provider)) return undefined
  if (last === undefined || last.type === 'back') return undefined
  return {
    key: `back:${provider}:${id}`,
    event: id,
    type: 'back',
    ...BACK,
    provider,
    title: oneLine(`${provider} can be used again`),
    body: 'Everything that waited for it continues.',
    expiresAt: expiresAt(BACK.disposition, at),
    // Nothing is left to do about it.
    readAt: at,
  }
}
