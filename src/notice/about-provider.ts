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

/** The provider that an event is about and what is wrong with it; undefined if people need not know. */
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

/** A limit that lifts over time is no trouble: operations wait for it without anyone's help. */
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
 * Reports a provider's trouble once until it works again, and once a day while it does not.
 * @param back the last notice that this provider worked again; it starts a new spell of trouble
 */
export function troubleNotice(
  { id, at, data }: LedgerEvent,
  { provider, trouble }: { provider: string; trouble: ProviderTrouble },
  back: NewNotice | undefined,
  operation: Operation | undefined,
): NewNotice {
  const { weight, words, remedy } = TROUBLES[trouble]
  const day = new Date(at).toISOString().slice(0, 10)
  const said = operation?.failure?.message ?? (typeof data?.reason === 'string' ? data.reason : undefined)
  return {
    key: `${trouble}:${provider}:${back?.event ?? 'first'}:${day}`,
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
    remedy: provider => `Mulligan keeps trying it. Details: mulligan providers show ${provider}`,
  },
  login: {
    weight: PARKED.login.people,
    words: 'rejects its login',
    remedy: provider =>
      `Log in again; waiting operations then continue. If they do not: mulligan providers reset ${provider}`,
  },
  billing: {
    weight: PARKED.payment.people,
    words: 'needs payment',
    remedy: provider => `Once it is paid: mulligan providers reset ${provider}`,
  },
}

/** Reports that a provider works again, if people were told that it did not. */
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
    body: 'Operations that waited for it continue.',
    expiresAt: expiresAt(BACK.disposition, at),
    // It needs no action.
    readAt: at,
  }
}
