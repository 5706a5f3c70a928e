import { oneLine } from '../failure/text/printable.ts'
import type { LedgerEvent } from '../ledger/event.ts'
import type { NewNotice } from '../ledger/notice.ts'
import type { Operation } from '../ledger/operation.ts'
import { nextStepFor } from '../provider/next-step.ts'
import { isSurface, loginIsRefused, providerName } from '../provider/provider-name.ts'
import { ACTIONABLE_LIFETIME_MS, expiresAt } from './lifetime.ts'
import { BACK, DOWN, LIMIT, PARKED, type Weight } from './weight.ts'

/** What can be wrong with a provider. */
export const PROVIDER_TROUBLES = ['down', 'limit', 'login', 'billing'] as const
/** What is wrong with a provider. */
export type ProviderTrouble = (typeof PROVIDER_TROUBLES)[number]

/** A limit that lifts sooner is not worth a message, in milliseconds: 15 minutes. */
export const LONG_LIMIT_MS = 15 * 60_000

/** The provider that an event is about and what is wrong with it; undefined if people need not know. */
export function troubleOf(
  { type, at, data = {} }: LedgerEvent,
  operation: Operation | undefined,
): { provider: string; trouble: ProviderTrouble } | undefined {
  const provider = typeof data.provider === 'string' ? data.provider : operation?.providers[0]
  if (provider === undefined || isSurface(provider)) return undefined
  if (type === 'parked') {
    const trouble = data.for === 'login' ? 'login' : data.for === 'payment' ? 'billing' : undefined
    return trouble && { provider, trouble }
  }
  const trouble = type === 'provider_blocked' ? blockTroubleOf(data, at) : undefined
  return trouble && { provider, trouble }
}

function blockTroubleOf(
  { cause, kind, until }: Record<string, unknown>,
  at: number,
): ProviderTrouble | undefined {
  switch (cause) {
    case 'payment':
      return 'billing'
    case 'login':
      return 'login'
    case 'breaker':
      return 'down'
    case 'limit':
    case 'spend':
      return typeof until === 'number' && until - at >= LONG_LIMIT_MS ? 'limit' : undefined
    case undefined:
      return kind === 'billing' ? 'billing' : kind === 'auth' ? 'login' : undefined
    default:
      return undefined
  }
}

/**
 * Reports a provider's trouble. Added only if no such notice is open, so people hear of it once until it is over; only the
 * words about a limit change with it.
 * @param waiting how many operations wait for the provider
 */
export function troubleNotice(
  event: LedgerEvent,
  { provider, trouble }: { provider: string; trouble: ProviderTrouble },
  waiting: number,
  operation: Operation | undefined,
): NewNotice {
  const { id, at } = event
  const { weight, title, remedy } = TROUBLES[trouble]
  const said = saidOf(event, trouble, operation)
  return {
    key: `${trouble}:${provider}:${id}`,
    event: id,
    type: trouble,
    ...weight,
    provider,
    cause: `${trouble}:${provider}`,
    title: oneLine(title(provider, event, waiting)),
    body: [...(said === undefined ? [] : [oneLine(said)]), remedy(provider)].join('\n'),
    // It stays until the trouble is over, however long that takes.
    expiresAt: at + ACTIONABLE_LIFETIME_MS,
  }
}

/** What the provider said. A breaker says only until when it is open, which the next failure changes. */
function saidOf(
  { data }: LedgerEvent,
  trouble: ProviderTrouble,
  operation: Operation | undefined,
): string | undefined {
  if (trouble === 'down') return undefined
  if (operation?.failure) return operation.failure.message
  // The title has the end of a limit; a login or a payment has none, only the time of the next test call.
  const { said, reason } = data ?? {}
  return typeof said === 'string' ? said : typeof reason === 'string' ? reason : undefined
}

interface Standing {
  weight: Weight
  title: (provider: string, event: LedgerEvent, waiting: number) => string
  remedy: (provider: string) => string
}

const TROUBLES: Readonly<Record<ProviderTrouble, Standing>> = {
  down: {
    weight: DOWN,
    title: provider => `${providerName(provider)} is down: its calls fail`,
    remedy: provider => `Mulligan keeps trying it. Details: mulligan providers show ${provider}`,
  },
  limit: {
    weight: LIMIT,
    title: (provider, { at, data }, waiting) =>
      `${providerName(provider)} is at its limit until ${momentInWords(data?.until as number, at)}${waitingInWords(waiting)}`,
    remedy: provider =>
      `What waits for it then continues by itself. Details: mulligan providers show ${provider}`,
  },
  login: {
    weight: PARKED.login.people,
    title: loginIsRefused,
    remedy: provider => nextStepFor('login', provider),
  },
  billing: {
    weight: PARKED.payment.people,
    title: provider => `${providerName(provider)} needs payment`,
    remedy: provider => nextStepFor('payment', provider),
  },
}

/** How many operations wait for it, after the rest of a title; empty if none does. */
function waitingInWords(waiting: number): string {
  if (waiting === 0) return ''
  return waiting === 1 ? '; 1 operation waits for it' : `; ${waiting} operations wait for it`
}

/** The time of day, with the date if it is another day; in UTC, because readers are in many zones. */
function momentInWords(moment: number, now: number): string {
  const [date, time = ''] = new Date(moment).toISOString().split('T')
  const isToday = new Date(now).toISOString().split('T')[0] === date
  return `${isToday ? '' : `${date} `}${time.slice(0, 5)} UTC`
}

/** Reports that a provider works again, after people were told that it did not. */
export function backNotice({ id, at }: LedgerEvent, provider: string): NewNotice {
  return {
    key: `back:${provider}:${id}`,
    event: id,
    type: 'back',
    ...BACK,
    provider,
    title: oneLine(`${providerName(provider)} works again`),
    body: 'Operations that waited for it continue.',
    expiresAt: expiresAt(BACK.disposition, at),
    // It needs no action.
    readAt: at,
  }
}
