import { present } from '../failure/present.ts'
import { checkNames, namesOf } from '../option/check-names.ts'
import type { BackoffName } from './backoff.ts'

/** Whether another provider is asked before or after retries. */
export type Failover = 'first' | 'last'

export const FAILOVERS: readonly Failover[] = ['first', 'last']

/** Everything a verdict depends on besides the failure. Passed in, so that deciding stays pure. */
export interface Circumstances {
  /** True for a run of a durable operation, which can wait for hours; false for a call in this process. Default false. */
  durable: boolean
  /** The current time in epoch milliseconds. Default: this machine's clock. */
  now: number
  /** A number in [0, 1) that spreads retries. Default 0.5. */
  random: number
  /** Tries begun so far by a `retry` verdict or after a lost runner; durable: without those in the foreground. Default 0. */
  retries: number
  /** How many retries are allowed. Default 2; durable: 5. */
  maxRetries: number
  /** Retries made before it was queued, in its caller's process. They use up neither `maxRetries` nor the backoff. Default 0. */
  foreground?: number
  /** True if the caller set `maxRetries` explicitly. Only then are unknown programs run again in process. Default false. */
  retriesAsked?: boolean
  /** How the waits between retries grow. Default `fullJitter`; durable: `adaptive`. */
  backoff: BackoffName
  /** Snooze verdicts so far. Default 0. */
  snoozes: number
  /** How many snoozes are allowed. Default 20. */
  maxSnoozes: number
  /**
   * Milliseconds left: of the budget in process, of `retryForMs` in a durable run. Default Infinity (no budget); durable: 30
   * minutes.
   */
  remainingMs: number
  /**
   * A second try needs strictly more than this many milliseconds left, measured before the wait. Default 30 s, or a tenth of
   * `remainingMs` if that is less.
   */
  minRetryBudgetMs: number
  /** True if running the work twice does no harm. Default true. */
  repeatable: boolean
  /** True if a session can be continued. Default false. */
  resumable: boolean
  /** True if it can be checked, before running again, whether the effect is there. Default false. */
  verifiable: boolean
  /**
   * True if another provider can take over for this failure: admitted now, untried in this call or run, with another quota
   * for a throttle, a larger context window for an overflow. Default false.
   */
  otherProviderAvailable: boolean
  /** Whether a failure that may pass goes to another provider `first`, or only when retries did not help. Default `last`. */
  failover?: Failover
  /** The earliest time any provider of the pool admits, in epoch milliseconds, after health has recorded this failure. */
  availableAt?: number
  /**
   * How many times in a row the provider (or this model of it) refused this way, for any caller, since it last served:
   * limits without a stated time, or refused logins. Default 0.
   */
  strikes?: number
  /** True if the failed try's credential is known, so a refused login counts against that credential only. Default false. */
  credentialKnown?: boolean
}

const NAMES = namesOf<Circumstances>({
  now: true,
  random: true,
  retries: true,
  maxRetries: true,
  retriesAsked: true,
  foreground: true,
  backoff: true,
  snoozes: true,
  maxSnoozes: true,
  remainingMs: true,
  minRetryBudgetMs: true,
  durable: true,
  repeatable: true,
  resumable: true,
  verifiable: true,
  otherProviderAvailable: true,
  failover: true,
  availableAt: true,
  strikes: true,
  credentialKnown: true,
})

/** Fills in the default of every circumstance that is not given. Throws a TypeError for an unknown one. */
export function circumstancesOf(given: Partial<Circumstances>): Circumstances {
  checkNames('circumstances', given, NAMES)
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
  const { foreground, retriesAsked, failover, availableAt, strikes, credentialKnown } = given
  return {
    ...present({ foreground, retriesAsked, failover, availableAt, strikes, credentialKnown }),
  }
}
