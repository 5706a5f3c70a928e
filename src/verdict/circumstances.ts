import type { BackoffName } from './backoff.ts'

/** Everything that a verdict depends on besides the failure. Given from outside, so that deciding stays pure. */
export interface Circumstances {
  /** False: one call in this process. True: a run of a durable operation, which can wait for hours. */
  durable: boolean
  /** Epoch milliseconds. */
  now: number
  /** In [0, 1); spreads retries. */
  random: number
  /** Tries begun so far by a `retry` verdict, and by lost runners. */
  retries: number
  maxRetries: number
  /**
   * Those of the retries that were waited for in the queue: the steps that its backoff has used up. Retries made in the
   * process of a caller use none. Default `retries`.
   */
  waits?: number
  /** Whether the caller set `maxRetries` on purpose; only then are programs of unknown nature run again in process. Default false. */
  retriesAsked?: boolean
  backoff: BackoffName
  /** Snooze verdicts so far. */
  snoozes: number
  maxSnoozes: number
  /** In process: milliseconds left of the budget, Infinity without one. Durable: left of `retryForMs`. */
  remainingMs: number
  /** A second try needs strictly more than this to be left, measured before the wait. */
  minRetryBudgetMs: number
  /** Running it twice does no harm. */
  repeatable: boolean
  /** A session can be continued. */
  resumable: boolean
  /** Whether the effect is there can be checked before it is run again. */
  verifiable: boolean
  /** For this failure: admitted now, untried in this call or run, another quota for a throttle, a larger window for an overflow. */
  otherProviderAvailable: boolean
  /** Epoch milliseconds: earliest time any provider of the pool admits, asked after health has recorded this failure. */
  availableAt?: number
  /**
   * How often in a row the provider (or this model of it) has refused in this way before, for any caller, since it last
   * served: limits without a time, or refused logins. Default 0.
   */
  strikes?: number
  /** Whether the credential of the failed try is known, so that a refused login can be held against it alone. Default false. */
  credentialKnown?: boolean
}
