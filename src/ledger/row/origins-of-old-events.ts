import type { ParkOrigin } from '../../verdict/verdict.ts'
import type { EventType } from '../event.ts'
import type { UnparkOrigin } from '../parking.ts'

// Events written up to 0.1.0 state their cause only as a sentence. Only this file reads those sentences: it adds the
// field that newer events have. The sentences are those of old versions and never change.

type Data = Record<string, unknown>

/** The data of an event with its origin, even if the event is older than that field. */
export function withOrigin(type: EventType, data: Data | undefined): Data | undefined {
  if (type === 'parked' && data?.origin === undefined) return { ...data, origin: parkOrigin(data) }
  if (type === 'unparked' && data?.by === undefined) return { ...data, by: unparkOrigin(data?.reason) }
  if (type === 'provider_blocked' && data?.said === undefined) return withWhatWasSaid(data)
  return data
}

const PROVIDER_RULES: readonly unknown[] = ['default:login', 'default:forbidden_unsaid', 'default:billing']

function parkOrigin(data: Data | undefined): ParkOrigin {
  const rule = data?.rule
  if (PROVIDER_RULES.includes(rule)) return 'provider'
  if (typeof rule === 'string' && rule.startsWith('capability:')) return 'runner'
  // Maintenance parked without a rule, and only if no runner was there.
  return rule === undefined && data?.for === 'runner' ? 'runner' : 'decision'
}

function unparkOrigin(reason: unknown): UnparkOrigin {
  if (typeof reason !== 'string') return 'caller'
  return SENTENCES.get(reason) ?? (reason.endsWith(' can be used again') ? 'provider' : 'caller')
}

const BLOCKED = /^blocked until \S+: /
const PACED = 'paced: '

function withWhatWasSaid(data: Data | undefined): Data | undefined {
  const reason = data?.reason
  if (typeof reason !== 'string') return data
  if (reason.startsWith(PACED)) return { ...data, reason: reason.slice(PACED.length), paced: true }
  return BLOCKED.test(reason) ? { ...data, said: reason.replace(BLOCKED, '') } : data
}

const SENTENCES: ReadonlyMap<string, UnparkOrigin> = new Map([
  ['a person asked for it', 'person'],
  ['its parameters were changed', 'edit'],
  ['a runner that has its capability is there', 'runner'],
  ['what it needs is there now', 'runner'],
  ['a capability that its parameters fit is there now', 'runner'],
])
