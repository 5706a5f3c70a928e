import type { FailureKind } from './failure.ts'
import type { SignatureMap, Signatures } from './signature.ts'

/** What the caller knows and the input does not say. Everything is optional. */
export interface ClassifyContext {
  /** Who failed: an account at a vendor, a CLI, a service. Picks signatures and settles ambiguous codes. */
  provider?: string | undefined
  model?: string | undefined
  /** Epoch milliseconds. Without it absolute times ("resets 3am") give no delay. */
  now?: number | undefined
  /** IANA zone for clock times that name none. Without it they give no delay. */
  timeZone?: string | undefined
  /** The operator's signatures: those of this provider, or all of them by provider. */
  signatures?: Signatures | SignatureMap | undefined
  /** What the caller did itself; this beats everything the input says. */
  own?:
    | {
        /** The caller aborted the call. */
        aborted?: boolean | undefined
        /** The caller's timer fired. */
        timedOut?: boolean | undefined
        /** A limit that the caller set stopped the call. */
        rail?: RailKind | undefined
      }
    | undefined
  /** The input was returned, not thrown: only shapes of failure count, never free text. Default false. */
  returned?: boolean | undefined
}

export type RailKind = Extract<FailureKind, `max_${string}`>
