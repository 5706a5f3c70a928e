import type { Failure } from '../failure/failure.ts'
import type { HealthMark } from '../verdict/index.ts'

/** What a call asks for before a try. */
export interface GateRequest {
  /** Providers that can serve it, the preferred one first. */
  pool: readonly string[]
  model?: string | undefined
  /** Those that failed in this call already: not chosen again, unless named in `again`. */
  tried: ReadonlySet<string>
  /** The provider that a retry goes back to. */
  again?: string | undefined
  /** The failure that sends the call elsewhere: a throttle asks for another quota, an overflow for a larger window. */
  after?: Failure | undefined
}

/** A provider that was passed over, and why, in words. */
export interface PassedOver {
  provider: string
  reason: string
  /** Epoch milliseconds, if that is known. */
  until?: number
}

/** Leave to call a provider once. It is settled exactly once, by one of its three ends. */
export interface Permit {
  provider: string
  succeeded(): void
  /** @param mark what the policy says the failure means for the provider */
  failed(failure: Failure, mark: HealthMark): void
  /** The try ended without telling anything about the provider: an abort, a rail, a mistake of ours. */
  released(): void
}

export type Choice =
  | { permit: Permit; passedOver: readonly PassedOver[] }
  /** Nobody admits: the failure of the block that ends first. */
  | { permit?: undefined; failure: Failure; availableAt?: number; passedOver: readonly PassedOver[] }

/**
 * Decides which provider a try may go to. Answers may be immediate or promised: those that are immediate cost a
 * call nothing.
 */
export interface Gate {
  choose(request: GateRequest): Choice | Promise<Choice>
  /** Whether somebody other than those tried would be admitted now, for this failure; and when the first will be. */
  outlook(request: GateRequest): Outlook | Promise<Outlook>
  /** Takes leave to retry from the provider's bucket; false if most of its calls fail. */
  mayRetry(provider: string): boolean
}

export interface Outlook {
  otherProviderAvailable: boolean
  /** Epoch milliseconds. */
  availableAt?: number
}
