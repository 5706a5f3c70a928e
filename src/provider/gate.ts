import type { Failure } from '../failure/failure.ts'
import type { HealthMark } from '../verdict/policy.ts'

/** What a call asks for before a try. */
export interface GateRequest {
  /** Providers that can serve it, the preferred one first. */
  pool: readonly string[]
  model?: string | undefined
  /** The credential that it is made with, as an opaque text; only its hash is kept. Default that of the provider's settings. */
  credential?: string | undefined
  /** Providers that already failed in this call: not chosen again, unless named in `again`. */
  tried: ReadonlySet<string>
  /** The only provider that a retry may go to. */
  again?: string | undefined
  /**
   * The failure of the last try. One that sends the call elsewhere asks for another quota (a throttle) or for a
   * larger window (an overflow); one that is retried is not held up by the block that it set itself.
   */
  after?: Failure | undefined
  /** Monotonic milliseconds since when the call waits to be admitted: the longest wait goes first. */
  since?: number | undefined
  /**
   * Aborted once the answer is no longer wanted: then it rejects, and takes no turn. Read only where an answer
   * takes time, so that it can be made when it is asked for.
   */
  readonly signal?: AbortSignal | undefined
}

/** A provider that was passed over, and why, in words. */
export interface PassedOver {
  provider: string
  reason: string
  /** Epoch milliseconds, if that is known. */
  until?: number
}

/** What a try cost; null where that is unknown, which is not zero. */
export interface Cost {
  costUsd: number | null
  tokens: number | null
}

/** Permission to call a provider once. Settled exactly once, by one of its three ends; later ones do nothing. */
export interface Permit {
  provider: string
  /** What the policy must know about the provider before it judges this failure. Default: nothing is known. */
  standing?(failure: Failure): { strikes: number; credentialKnown: boolean }
  /**
   * What the provider says about its limits while it serves: a response or its headers, an event of an agent CLI, the
   * end of a program, or the failure of a limit that the try got over. Anything else says nothing.
   */
  observed?(seen: unknown): void
  /** @param value what the work returned; a response's headers and a program's output may state limits */
  succeeded(cost?: Cost, value?: unknown): void
  /** @param mark what the policy says the failure means for the provider */
  failed(failure: Failure, mark: HealthMark, cost?: Cost): void
  /** The try ended and says nothing about the provider: an abort, a rail, a mistake of ours. */
  released(cost?: Cost): void
}

/** Permission to call a provider, or the reason why there is none; and who was passed over. */
export type Choice =
  | { permit: Permit; passedOver: readonly PassedOver[] }
  /** No provider admits: the failure of the block that ends first. */
  | { permit?: undefined; failure: Failure; availableAt?: number; passedOver: readonly PassedOver[] }

/**
 * Decides which provider a try may go to. Answers may be immediate or promised: those that are immediate cost a
 * call nothing.
 */
export interface Gate {
  choose(request: GateRequest): Choice | Promise<Choice>
  /**
   * Whether a provider other than those tried would admit the call now, for this failure; and when the first will.
   * With `again`, when that one will.
   */
  outlook(request: GateRequest): Outlook | Promise<Outlook>
  /** Takes a retry from the provider's bucket; false if most of its calls fail. */
  mayRetry(provider: string): boolean
}

/** Whether another provider admits calls now, and when the first will. */
export interface Outlook {
  otherProviderAvailable: boolean
  /** Epoch milliseconds. */
  availableAt?: number
}
