import type { Failure } from '../failure/failure.ts'
import type { HealthMark } from '../verdict/policy.ts'
import type { PoolSettings } from './settings.ts'

/** What a call asks for before a try. */
export interface GateRequest {
  /** Providers that can serve the call, the preferred one first. */
  pool: readonly string[]
  model?: string | undefined
  /** The model at each provider, where it is not `model`. */
  models?: Readonly<Record<string, string>> | undefined
  /** The tool that is called, where the provider is an MCP server: it may be paused on its own. */
  tool?: string | undefined
  /** The credential of the call, as an opaque string; only its hash is kept. Default: the one in the provider's settings. */
  credential?: string | undefined
  /** Providers that already failed in this call. Not chosen again, unless named in `again`. */
  tried: ReadonlySet<string>
  /** The only provider that a retry may go to. */
  again?: string | undefined
  /**
   * The failure of the last try. After a failover, a throttle requires another quota and an overflow a larger context window.
   * A retry is not held up by the block that its own failure set.
   */
  after?: Failure | undefined
  /** When the call began to wait, in monotonic milliseconds: the longest wait goes first. */
  since?: number | undefined
  /** Goes before all that wait longer. */
  isUrgent?: boolean | undefined
  /**
   * How long the call can wait for its turn, in milliseconds. If its turn is known to come later, the answer is a refusal, at
   * once. Default: no limit.
   */
  waitMs?: number | undefined
  /**
   * The tries that the call has left, this one included. If all its providers are down, it waits for its turn to find out
   * whether one is back. Default: it does not wait for that.
   */
  readonly triesLeft?: number | undefined
  /** How long it waits for others to find out whether its provider is back, in milliseconds. Default: its share of its time. */
  readonly ownTurnMs?: number | undefined
  /** How long it has waited since its last try, in milliseconds. */
  readonly waitedMs?: number | undefined
  /** True if only the provider in `again` can continue the call, even if others are healthy. */
  readonly isBound?: boolean | undefined
  /** What is left of the call's time, in milliseconds: a paced provider is not asked if that cannot hold an answer. */
  readonly remainingMs?: number | undefined
  /**
   * Aborted once the answer is no longer wanted: then `choose` rejects, and the call takes no turn. Read only if an answer
   * takes time, so it can be created on access.
   */
  readonly signal?: AbortSignal | undefined
}

/** A provider that was passed over, and why. */
export interface PassedOver {
  provider: string
  reason: string
  /** When it admits again, in epoch milliseconds, if known. */
  until?: number
}

/** What a try cost; null means unknown, not zero. */
export interface Cost {
  costUsd: number | null
  tokens: number | null
}

/** Permission to call a provider once. Settle it exactly once, with one of its three ends; further calls do nothing. */
export interface Permit {
  provider: string
  /** The model to ask for, if the request named one. */
  model?: string | undefined
  /** What the policy must know about the provider to judge this failure. Default: nothing is known. */
  standing?(failure: Failure): { strikes: number; credentialKnown: boolean }
  /**
   * Reports what the provider says about its limits while it serves: a response or its headers, an event of an agent CLI,
   * the result of a program, or the failure of a limit that the try got over. Anything else is ignored.
   */
  observed?(seen: unknown): void
  /** The answer has begun: the provider serves, so those who wait for that need not wait for the end. */
  answering?(): void
  /** @param value what the work returned; a response's headers and a program's output may state limits */
  succeeded(cost?: Cost, value?: unknown): void
  /** @param mark what the policy says the failure means for the provider */
  failed(failure: Failure, mark: HealthMark, cost?: Cost): void
  /** The try ended without saying anything about the provider: an abort, a rail, a bug of ours. */
  released(cost?: Cost): void
}

/** Permission to call a provider, or the reason why there is none; and the providers that were passed over. */
export type Choice =
  | { permit: Permit; passedOver: readonly PassedOver[] }
  /** No provider admits. The failure is that of the block that ends first. */
  | { permit?: undefined; failure: Failure; availableAt?: number; passedOver: readonly PassedOver[] }

/** Decides which provider a try may go to. Answers may be immediate or promises; immediate ones cost a call nothing. */
export interface Gate {
  choose(request: GateRequest): Choice | Promise<Choice>
  /**
   * Whether an untried provider would admit the call now, for this failure, and when the first one will. With `again`, when
   * that one will.
   */
  outlook(request: GateRequest): Outlook | Promise<Outlook>
  /**
   * Waits until a provider admits the request, this long at most, in milliseconds. Default: the time is waited out, even if
   * a block ends earlier. Rejects if the signal is aborted.
   */
  wait?(request: GateRequest, ms: number): Promise<void>
  /** The pool with this name. Throws if there is none. Default: pools have no names. */
  pool?(name: string): Omit<PoolSettings, 'id'>
  /** Takes a retry from the provider's bucket; false if most of its calls fail. */
  mayRetry(provider: string): boolean
}

/** Whether another provider admits calls now, and when the first one will. */
export interface Outlook {
  otherProviderAvailable: boolean
  /** Epoch milliseconds. */
  availableAt?: number
}
