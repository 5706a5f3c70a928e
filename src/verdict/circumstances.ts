import type { BackoffName } from './backoff.ts'

/** Everything that a verdict depends on besides the failure. Given from outside, so that deciding stays pure. */
export interface Circumstances {
  /** False: one call in this process. True: a run of a durable operation, which can wait for hours. Default false. */
  durable: boolean
  /** Epoch milliseconds. Default the clock of this machine. */
  now: number
  /** In [0, 1); spreads retries. Default 0.5. */
  random: number
  /** Tries begun so far by a `retry` verdict, and by lost runners. Default 0. */
  retries: number
  /** How many retries are allowed. Default 2; durable: 5. */
  maxRetries: number
  /**
   * Those of the retries that were waited for in the queue: the steps that its backoff has used up. Retries made in the
   * process of a caller use none. Default `retries`.
   */
  waits?: number
  /** Whether the caller set `maxRetries` on purpose; only then are programs of unknown nature run again in process. Default false. */
  retriesAsked?: boolean
  /** How the waits between retries grow. Default `fullJitter`; durable: `adaptive`. */
  backoff: BackoffName
  /** Snooze verdicts so far. Default 0. */
  snoozes: number
  /** How many snoozes are allowed. Default 20. */
  maxSnoozes: number
  /**
   * Milliseconds left: in process of the budget, durable of `retryForMs`. Default Infinity, no budget; durable: 30
   * minutes.
   */
  remainingMs: number
  /**
   * A second try needs strictly more milliseconds than this to be left, measured before the wait. Default 30 s, or a
   * tenth of `remainingMs` if that is less.
   */
  minRetryBudgetMs: number
  /** Running it twice does no harm. Default true. */
  repeatable: boolean
  /** A session can be continued. Default false. */
  resumable: boolean
  /** Whether the effect is there can be checked before it is run again. Default false. */
  verifiable: boolean
  /**
   * For this failure: admitted now, untried in this call or run, another quota for a throttle, a larger window for an
   * overflow. Default false.
   */
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

/** The circumstances with every default filled in. */
export function circumstancesOf(given: Partial<Circumstances>): Circumstances {
  const durable = given.durable ?? false
  const remainingMs = given.remainingMs ?? (durable ? 1_800_000 : Infinity)
  return {
    now: given.now ?? Date.now(),
    random: given.random ?? 0.5,
    retries: given.retries ?? 0,
    maxRetries: given.maxRetries ?? (durable ? 5 : 2),
    backoff: given.backoff ?? (durable ? 'adaptive' : 'fullJitter'),
    snoozes: given.snoozes ?? 0,
    maxSnoozes: given.maxSnoozes ?? 20,
    minRetryBudgetMs: given.minRetryBudgetMs ?? Math.min(30_000, remainingMs / 10),
    repeatable: given.repeatable ?? true,
    resumable: given.resumable ?? false,
    verifiable: given.verifiable ?? false,
    otherProviderAvailable: given.otherProviderAvailable ?? false,
    durable,
    remainingMs,
    ...optional(given),
  }
}

function optional(given: Partial<Circumstances>): Partial<Circumstances> {
  const { waits, retriesAsked, availableAt, strikes, credentialKnown } = given
  return {
    ...(waits === undefined ? {} : { waits }),
    ...(retriesAsked === undefined ? {} : { retriesAsked }),
    ...(availableAt === undefined ? {} : { availableAt }),
    ...(strikes === undefined ? {} : { strikes }),
    ...(credentialKnown === undefined ? {} : { credentialKnown }),
  }
}
