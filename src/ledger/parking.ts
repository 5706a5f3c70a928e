import type { ParkOrigin, ParkReason } from '../verdict/verdict.ts'
import type { LedgerEvent } from './event.ts'

/**
 * What unparked an operation: a `person` requested it and answers for what earlier tries may have done; an `edit`
 * changed its parameters; a `provider` can be used again; a `runner` that can run it is there; or a `caller` of
 * `queue.unpark` had another reason, such as a label.
 */
export type UnparkOrigin = 'person' | 'edit' | 'provider' | 'runner' | 'caller'

/** Why a parked operation continues. Stored with the event; code branches only on `by`. */
export interface Unparking {
  by: UnparkOrigin
  /** For people, redacted. */
  reason: string
}

/** Why a scheduled operation is parked without a run. Stored with the event; code never branches on the text. */
export interface Parking {
  for: ParkReason
  /** What caused it. Default `decision`. */
  origin?: ParkOrigin
  /** For people, redacted. */
  reason: string
}

/** What caused a `parked` event; undefined for any other event. */
export function parkOriginOf({ type, data }: LedgerEvent): ParkOrigin | undefined {
  return type === 'parked' ? (data?.origin as ParkOrigin) : undefined
}

/** What caused an `unparked` event; undefined for any other event. */
export function unparkOriginOf({ type, data }: LedgerEvent): UnparkOrigin | undefined {
  return type === 'unparked' ? (data?.by as UnparkOrigin) : undefined
}

/** Whether a person had the operation run again, and so answers for what it may have done before. */
export function isAskedByPerson(event: LedgerEvent): boolean {
  return event.type === 'revived' || unparkOriginOf(event) === 'person'
}
