import type { Failure, FailureClass, FailureKind, RefusalScope } from '../failure/failure.ts'
import type { Circumstances } from './circumstances.ts'
import {
  type Course,
  cancel,
  failover,
  failoverIfRepeatable,
  failoverUnlessResumed,
  inLine,
  inLineBriefly,
  park,
  parkIfItMayRun,
  retry,
  retryIfAsked,
  retryIfRepeatable,
  snooze,
  statedReset,
  wait,
} from './course.ts'
import { isLongLimit } from './long-limit.ts'
import type { HealthMark } from './policy.ts'
import { loginBlockMs, timesMet, UNCLEAR_REFUSALS, unstatedWaitMs } from './unstated-wait.ts'

/** What a failure does to its provider's health, in words and as a function. */
interface HealthCell {
  words: string
  mark(failure: Failure, circumstances: Circumstances): HealthMark
}

/** One row of the default policy: for these failures, take the first possible course. */
export interface Row {
  id: string
  title: string
  class: FailureClass
  /** Default: all kinds of the class. */
  kinds?: readonly FailureKind[]
  /** Only refusals of this scope, or without a stated scope. Default: any. */
  scope?: RefusalScope | 'unsaid'
  /** True: only if the provider stated when it works again. False: only if it did not. Default: either. */
  stated?: boolean
  /** True: only limits of an hour and longer. False: only shorter ones, or without a unit. Default: either. */
  long?: boolean
  inProcess: readonly Course[]
  durable: readonly Course[]
  health: HealthCell
  /** Whether people are notified. */
  people: string
}

const noHarm: HealthCell = { words: 'none', mark: () => ({ breaker: 'none' }) }
const failed: HealthCell = {
  words: 'one failure never trips; 5 in a row, or half of at least 10 within a window, do',
  // A lost runner says nothing about the provider it was calling.
  mark: ({ kind }) => ({ breaker: kind === 'runner_lost' ? 'none' : 'failure' }),
}
const blockedUntilCleared: HealthCell = {
  words: 'blocked until cleared, or until the one call that goes through every 1 h … 24 h succeeds',
  mark: () => ({ breaker: 'none', blockUntil: 'cleared' }),
}
const blockedUntilStated: HealthCell = {
  words:
    'blocked until then, and paced from then on, unless it is within 2 s and 3 of 4 calls are not refused; usage_limit and quota also show the windows as full until then',
  mark: (failure, { now }) => ({
    breaker: 'none',
    blockUntil: statedReset(failure, now) as number,
    fillWindows: failure.kind === 'usage_limit' || failure.kind === 'quota',
    // All that waited for that time would come at once.
    ...(isLongLimit(failure) ? {} : { pace: true }),
  }),
}
const paced: HealthCell = {
  words:
    'paced: a pause of about 1 s that doubles only while calls are refused again, to 60 s, then to 15 min; then calls go in turn, the next as soon as the one before is admitted',
  mark: () => ({ breaker: 'none', pace: true }),
}
const blockedForWait: HealthCell = {
  words: 'blocked for that growing wait',
  mark: (failure, circumstances) => ({
    breaker: 'none',
    blockUntil: circumstances.now + unstatedWaitMs(failure.kind, timesMet(circumstances)),
  }),
}
const loginBlocked: HealthCell = {
  words:
    'credential known: blocked until it changes, a probe or doctor succeeds, it is reset, or the one call that goes through every 1 min … 1 h succeeds; not known: blocked briefly with backoff',
  mark: (_failure, { now, strikes = 0, credentialKnown }) => ({
    breaker: 'none',
    blockUntil: credentialKnown ? 'cleared' : now + loginBlockMs(strikes),
  }),
}
const perhapsLogin: HealthCell = {
  words: 'two in a row: none; from the third on blocked briefly with backoff',
  mark: (_failure, { now, strikes = 0 }) =>
    strikes < UNCLEAR_REFUSALS
      ? { breaker: 'none' }
      : { breaker: 'none', blockUntil: now + loginBlockMs(strikes - UNCLEAR_REFUSALS) },
}

const stop = cancel('refused', 'stop', 'the same request would fail again')
const refuse = cancel('refused', 'cancel, refused', 'the same request would fail again')
const giveUp: Course = {
  words: 'stop',
  take: (failure, { remainingMs, retries, maxRetries }) => {
    const [as, why] =
      remainingMs <= 0
        ? (['expired', 'out of time'] as const)
        : retries >= maxRetries
          ? (['exhausted', 'retry limit reached'] as const)
          : (['expired', 'no time is left for a retry in this process'] as const)
    return { verdict: { action: 'cancel', as, reason: `${failure.kind}: ${why}` } }
  },
}
const unknownStop = cancel('refused', 'stop', 'not classified, so it is not retried')
const pay = park('payment', 'needs payment or a higher limit')
const login = park('login', 'needs a login or access')
const label = parkIfItMayRun(
  park(
    'label',
    'not classified yet; its label decides whether it runs again, like every operation that failed so',
  ),
)

/** The default policy: the first matching row, and its first possible course. */
export const DEFAULT_TABLE: readonly Row[] = [
  {
    id: 'billing',
    title: 'throttle billing, with or without a time',
    class: 'throttle',
    kinds: ['billing'],
    inProcess: [failover, pay],
    durable: [failover, pay],
    health: blockedUntilCleared,
    people: 'told at once',
  },
  {
    id: 'throttle_stated',
    title: 'throttle, time stated',
    class: 'throttle',
    stated: true,
    inProcess: [wait, failover, snooze],
    durable: [failover, snooze],
    health: blockedUntilStated,
    people: '–',
  },
  {
    id: 'rate_limit',
    title: 'throttle rate_limit, or quota per minute or without a unit, no time',
    class: 'throttle',
    kinds: ['rate_limit', 'quota'],
    long: false,
    inProcess: [inLineBriefly, failover, inLine],
    durable: [inLineBriefly, failover, inLine],
    health: paced,
    people: '–',
  },
  {
    id: 'usage_limit',
    title: 'throttle usage_limit, or quota per day and longer, no time',
    class: 'throttle',
    inProcess: [failover, snooze],
    durable: [failover, snooze],
    health: blockedForWait,
    people: '–',
  },
  {
    id: 'transient',
    title: 'transient',
    class: 'transient',
    inProcess: [retry, failover],
    durable: [failoverUnlessResumed, retry, failover],
    health: failed,
    people: 'provider down / back',
  },
  {
    id: 'timeout',
    title: 'timeout',
    class: 'timeout',
    inProcess: [retryIfRepeatable, failover, giveUp],
    durable: [retry],
    health: failed,
    people: '–',
  },
  {
    id: 'forbidden_resource',
    title: 'permanent forbidden (of one resource)',
    class: 'permanent',
    kinds: ['auth', 'forbidden'],
    scope: 'resource',
    inProcess: [stop],
    durable: [refuse],
    health: noHarm,
    people: '–',
  },
  {
    id: 'forbidden_unsaid',
    title: 'permanent forbidden (scope not stated)',
    class: 'permanent',
    kinds: ['forbidden'],
    scope: 'unsaid',
    inProcess: [failover, stop],
    durable: [failover, login],
    health: perhapsLogin,
    people: 'told',
  },
  {
    id: 'login',
    title: 'permanent auth, forbidden (of the account or key)',
    class: 'permanent',
    kinds: ['auth', 'forbidden'],
    inProcess: [failover, stop],
    durable: [failover, login],
    health: loginBlocked,
    people: 'told',
  },
  {
    id: 'elsewhere',
    title: 'permanent tls, unsupported_region, model_not_found, binary_not_found, version_mismatch, config',
    class: 'permanent',
    kinds: ['tls', 'unsupported_region', 'model_not_found', 'binary_not_found', 'version_mismatch', 'config'],
    inProcess: [failover, stop],
    durable: [failover, refuse],
    health: noHarm,
    people: 'config: told',
  },
  {
    id: 'context_overflow',
    title: 'permanent context_overflow',
    class: 'permanent',
    kinds: ['context_overflow'],
    inProcess: [{ ...failover, words: 'failover to a larger window' }, stop],
    durable: [{ ...failover, words: 'failover to a larger window' }, refuse],
    health: noHarm,
    people: '–',
  },
  {
    id: 'permanent',
    title: 'other permanent',
    class: 'permanent',
    inProcess: [stop],
    durable: [refuse],
    health: noHarm,
    people: '–',
  },
  {
    id: 'rail',
    title: 'rail',
    class: 'rail',
    inProcess: [
      cancel(
        'stopped',
        'stop; session id and cost kept',
        'stopped by a limit set on purpose; resume it to continue',
      ),
    ],
    durable: [
      cancel(
        'stopped',
        'cancel, stopped; can be resumed on purpose',
        'stopped by a limit set on purpose; resume it to continue',
      ),
    ],
    health: noHarm,
    people: '–',
  },
  {
    id: 'aborted',
    title: 'aborted',
    class: 'aborted',
    inProcess: [cancel('cancelled', 'stop', 'it was cancelled')],
    durable: [cancel('cancelled', 'cancel, cancelled', 'it was cancelled')],
    health: noHarm,
    people: '–',
  },
  {
    id: 'command_failed',
    title: 'unknown command_failed (only for programs that are not providers)',
    class: 'unknown',
    kinds: ['command_failed'],
    inProcess: [retryIfAsked, unknownStop],
    durable: [retry],
    health: noHarm,
    people: '–',
  },
  {
    id: 'unknown',
    title: 'unknown',
    class: 'unknown',
    inProcess: [failoverIfRepeatable, unknownStop],
    durable: [failoverIfRepeatable, label],
    health: { words: 'half', mark: () => ({ breaker: 'half' }) },
    people: 'escalated once per fingerprint',
  },
]

/** The row that matches a failure. Every class ends with a row for all its kinds, so there is always one. */
export function rowOf(failure: Failure, now: number): Row {
  const isStated = statedReset(failure, now) !== undefined
  return DEFAULT_TABLE.find(
    row =>
      row.class === failure.class &&
      (row.kinds === undefined || row.kinds.includes(failure.kind)) &&
      (row.long === undefined || row.long === isLongLimit(failure)) &&
      (row.scope === undefined || row.scope === (failure.scope ?? 'unsaid')) &&
      (row.stated === undefined || row.stated === isStated),
  ) as Row
}
