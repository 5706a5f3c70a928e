import type { Page, PageRequest } from './filter.ts'
import type { MaybePromise } from './writing.ts'

/** The states of a delivery: on its way, arrived, or given up. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const
/** The state of a delivery. */
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** A notice to deliver to a surface. */
export interface NewDelivery {
  /** Id of the notice. */
  notice: string
  /** Name of the surface. */
  surface: string
  /** The operation that delivers it; several notices may go in one message. */
  operation?: string
}

/** A notice on its way to a surface, or delivered. */
export interface Delivery extends NewDelivery {
  /** `delivery_` and a number. */
  id: string
  state: DeliveryState
  /** Epoch milliseconds. */
  createdAt: number
  /** When it arrived or was given up, epoch milliseconds. */
  settledAt?: number
  /** Where the message is now: the address of an issue, the number of a message. */
  reference?: string
  /** Why it was given up, redacted. */
  reason?: string
  /** Since when its message no longer says what is true, epoch milliseconds. */
  outdatedAt?: number
}

/** How a delivery ended. */
export type DeliveryEnd =
  | { delivered: true /** Where the message is now. */; reference?: string }
  | { delivered: false /** Why, for people. */; reason: string }

/** Selects deliveries. All conditions must match. */
export interface DeliveryFilter {
  /** Of this notice. */
  notice?: string
  /** To this surface. */
  surface?: string
  /** In this state. */
  state?: DeliveryState
  /** By this operation. */
  operation?: string
  /** Of notices about this unknown. */
  fingerprint?: string
  /** Only those whose message no longer says what is true. Default all. */
  outdated?: true
}

/** Writes about deliveries, as part of a transaction. */
export interface DeliveryWrites {
  /** Adds the delivery of a notice to a surface. Adding it again has no effect. */
  addDelivery(delivery: NewDelivery): MaybePromise<{ id: string; created: boolean }>
  /** Ends a delivery: it arrived, or was given up. False if it has already ended or no longer exists. */
  settleDelivery(id: string, end: DeliveryEnd): MaybePromise<boolean>
  /** Records that the messages of these deliveries are outdated, or up to date again. Returns how many changed. */
  outdateDeliveries(ids: readonly string[], isOutdated: boolean): MaybePromise<number>
}

/** Reads of deliveries. */
export interface DeliveryReads {
  /** Deliveries, newest first, one page at a time. */
  deliveries(filter?: DeliveryFilter, page?: PageRequest): Promise<Page<Delivery>>
}
