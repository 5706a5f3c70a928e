import type { Failure } from '../failure/failure.ts'
import { madeHere } from '../failure/made-here.ts'
import { present } from '../failure/present.ts'
import { type Block, endOf, testAtOf } from './block.ts'
import { breakerAt, type DownBreaker } from './breaker.ts'
import type { BreakerCell } from './breaker-cell.ts'
import { nextStepFor } from './next-step.ts'
import type { Pace } from './pace.ts'
import type { WindowUse } from './window-use.ts'

/**
 * Why a provider cannot serve. `login`: its login was refused. `payment`: it wants money. `limit`: it reached a limit.
 * `spend`: its spending, or that of all providers, reached its ceiling. `breaker`: its breaker is open. `busy`: it runs its
 * maximum of calls or is being probed. `pause`: a person paused it.
 */
export type RefusalCause = 'login' | 'payment' | 'limit' | 'spend' | 'breaker' | 'busy' | 'pause'

/** Why a provider does not admit a call now. */
export interface Refusal {
  cause: RefusalCause
  /** For people, with the time. */
  reason: string
  /** What the provider said, if it closed itself; part of `reason`. */
  said?: string
  /** True if calls go one after another, and it is not this one's turn. */
  isPaced?: true
  /** When it admits again, in epoch milliseconds; Infinity if time alone does not change it. */
  until: number
  /** What a call fails with if no provider admits it. */
  failure: Failure
  /** It may admit any moment, when a probe or a running call ends. A call without another provider waits for that. */
  isShort?: true
  /** When one call may go through, to find out whether money or a login is in order again; epoch milliseconds. */
  testAt?: number
  /** How many calls it takes per second, if that is known. */
  perSecond?: number
  /** The breaker that is not closed: a call in process that has nobody else to go to waits for its turn there. */
  breaker?: BreakerCell
  /** When the next such call may go, in epoch milliseconds. */
  turnAt?: number
}

export function refusedByBlock(provider: string, block: Block, now: number): Refusal {
  const until = endOf(block)
  const { resetAt: _resetAt, retryAfterMs: _retryAfterMs, ...failure } = block.failure
  const testAt = testAtOf(block)
  const cause = causeOf(failure)
  // A vendor's sentence may bring its own full stop.
  const why = cause === 'limit' ? failure.message : failure.message.replace(/[.\s]+$/, '')
  const remedy = cause === 'limit' ? '' : `. ${nextStepFor(cause, provider)}, or health.reset('${provider}')`
  return {
    cause,
    reason: `blocked ${untilWords(until)}: ${failure.message}`,
    said: failure.message,
    until,
    failure: {
      ...failure,
      message: `not tried: blocked since ${sinceWords(block.from, now)}: ${why}${remedy}`,
      ...resets(until, now),
      effect: 'none',
      origin: 'gate',
      provider,
      evidence: madeHere({ ...failure.evidence, rule: `gate:${failure.evidence.rule}` }),
    },
    ...present({ testAt }),
  }
}

function causeOf({ kind }: Pick<Failure, 'kind'>): 'payment' | 'login' | 'limit' {
  if (kind === 'billing') return 'payment'
  return kind === 'auth' || kind === 'forbidden' ? 'login' : 'limit'
}

export function refusedByWindow(provider: string, use: WindowUse, now: number): Refusal {
  const until = use.until ?? Infinity
  const reason = `its window "${use.window}" is used up (${amount(use)}) ${untilWords(until)}`
  return {
    cause: 'spend',
    reason,
    until,
    failure: {
      ...gateFailure(provider, 'throttle', 'quota', `${provider}: ${reason}`, 'window'),
      ...resets(until, now),
    },
  }
}

export function refusedByFleet(provider: string, use: WindowUse, now: number): Refusal {
  const until = use.until ?? Infinity
  const reason = `the spending ceiling of all providers per ${use.window} is reached (${amount(use)}) ${untilWords(until)}`
  return {
    cause: 'spend',
    reason,
    until,
    failure: { ...gateFailure(provider, 'throttle', 'quota', reason, 'fleet'), ...resets(until, now) },
  }
}

/** Why a breaker lets no call through; the breaker itself if it lets only the probe through. */
export function refusalOfBreaker(breaker: BreakerCell, now: number): Refusal | BreakerCell | undefined {
  const { cell, provider, model, probeLease } = breaker
  const state = cell.value
  if (state === undefined || state.state === 'closed') return undefined
  const current = breakerAt(state, now)
  if (current.state === 'open') {
    // The clock was set back. All processes must see the new times, or they would shift with every look.
    if (current !== state)
      cell.update(present => (present?.state === 'open' ? breakerAt(present, now) : present))
    return { ...refusedByBreaker(provider, model, current, now), breaker }
  }
  if (current.state === 'closed') return undefined
  return probeLease.isFree(current) ? breaker : { ...refusedByProbe(provider, now), breaker }
}

function refusedByBreaker(
  provider: string,
  model: string | undefined,
  open: Extract<DownBreaker, { state: 'open' }>,
  now: number,
): Refusal {
  const whose = model === undefined ? 'its breaker' : `its breaker for ${model}`
  const reason = `${whose} is open ${untilWords(open.until)} after too many failures`
  const { until, line } = open
  return {
    cause: 'breaker',
    reason,
    until,
    turnAt: Math.min(until, line.turnAt),
    failure: {
      ...gateFailure(provider, 'transient', 'overloaded', `${provider}: ${reason}`, 'breaker_open'),
      ...resets(until, now),
    },
  }
}

/** The failure of a call that waits in line: it need not wait until the breaker is half-open. */
export function failureInLine({ failure, turnAt }: Refusal, now: number): Failure {
  return turnAt === undefined ? failure : { ...failure, ...resets(turnAt, now) }
}

/** @param now it may admit any moment */
function refusedByProbe(provider: string, now: number): Refusal {
  const reason = 'a probe is in flight to find out whether it is back'
  return {
    cause: 'busy',
    reason,
    until: now,
    failure: gateFailure(provider, 'transient', 'overloaded', `${provider}: ${reason}`, 'probe'),
    isShort: true,
  }
}

/** For a call that could not wait for its turn. */
export function refusedByWait(provider: string, now: number): Refusal {
  const reason = 'it was busy, or another call was finding out whether it is back'
  return {
    cause: 'busy',
    reason,
    until: now,
    failure: gateFailure(provider, 'transient', 'overloaded', `${provider}: ${reason}`, 'wait'),
  }
}

export function refusedByTrial(provider: string, until: number, now: number): Refusal {
  const reason = 'waiting for one call to find out whether its limit has lifted'
  return {
    cause: 'busy',
    reason,
    until,
    failure: {
      ...gateFailure(provider, 'throttle', 'rate_limit', `${provider}: ${reason}`, 'trial'),
      ...resets(until, now),
    },
    isShort: true,
  }
}

/** @param until when it is the next call's turn, as far as is known */
export function refusedByPace(provider: string, pace: Pace, until: number, now: number): Refusal {
  const { failure, rate } = pace
  const { resetAt: _resetAt, retryAfterMs: _retryAfterMs, ...kept } = failure
  const how =
    pace.until > now
      ? `nobody goes ${untilWords(until)}`
      : rate
        ? `calls go at ${Math.round(rate.perSecond * 60)} a minute`
        : 'calls go one after another'
  return {
    cause: 'limit',
    reason: `${how}: ${failure.message}`,
    said: failure.message,
    isPaced: true,
    until,
    failure: {
      ...kept,
      message: `not tried: ${how} since ${sinceWords(pace.at, now)}: ${failure.message}`,
      ...resets(until, now),
      effect: 'none',
      origin: 'gate',
      provider,
      evidence: madeHere({ ...failure.evidence, rule: `gate:pace:${failure.evidence.rule}` }),
    },
    isShort: true,
    ...(rate ? { perSecond: rate.perSecond } : {}),
  }
}

/**
 * For a call whose time cannot hold an answer.
 * @param quickestMs how long the quickest answer took lately
 */
export function refusedByTime(provider: string, pace: Pace, quickestMs: number, now: number): Refusal {
  const { reason, failure, cause } = refusedByPace(provider, pace, now + quickestMs, now)
  const why = `, and no answer took less than ${quickestMs} ms`
  return {
    cause,
    reason: reason + why,
    until: now + quickestMs,
    failure: { ...failure, message: failure.message + why },
  }
}

export function refusedByConcurrency(provider: string, running: number, now: number): Refusal {
  const reason = `busy with ${running} calls, its maximum`
  return {
    cause: 'busy',
    reason,
    until: now,
    failure: gateFailure(provider, 'transient', 'overloaded', `${provider}: ${reason}`, 'busy'),
    isShort: true,
  }
}

export function refusedByPause(
  provider: string,
  { reason: why, until = Infinity }: { reason?: string; until?: number },
  now: number,
): Refusal {
  const end = Number.isFinite(until) ? ` ${untilWords(until)}` : ''
  const reason = `paused by a person${end}${why === undefined ? '' : `: ${why}`}`
  return {
    cause: 'pause',
    reason,
    until,
    failure: {
      ...gateFailure(provider, 'transient', 'overloaded', `${provider}: ${reason}`, 'paused'),
      ...resets(until, now),
    },
  }
}

/** Every provider was tried, and none says more. */
export const NO_PROVIDER_LEFT: Failure = gateFailure(
  undefined,
  'transient',
  'overloaded',
  'no provider is left',
  'nobody_left',
)

function gateFailure(
  provider: string | undefined,
  cls: 'throttle' | 'transient',
  kind: 'quota' | 'rate_limit' | 'overloaded',
  message: string,
  rule: string,
): Failure {
  return {
    class: cls,
    kind,
    effect: 'none',
    origin: 'gate',
    ...present({ provider }),
    message: `not tried: ${message}`,
    evidence: madeHere({ rule: `gate:${rule}`, where: 'gate', excerpt: '', lost: [] }),
    fingerprint: 'fp1:0000000000000000',
  }
}

function resets(until: number, now: number): { resetAt?: number; retryAfterMs?: number } {
  return Number.isFinite(until) ? { resetAt: until, retryAfterMs: Math.max(0, until - now) } : {}
}

function untilWords(until: number): string {
  return Number.isFinite(until)
    ? // The second that has it: nobody reads milliseconds.
      `until ${new Date(Math.ceil(until / 1_000) * 1_000).toISOString().replace('.000Z', 'Z')}`
    : 'until cleared'
}

/** The time of day, with the date if it is not today's; in UTC, because readers are in many zones. */
function sinceWords(from: number, now: number): string {
  const [date = '', time = ''] = new Date(from).toISOString().split('T')
  const isToday = new Date(now).toISOString().startsWith(date)
  return `${isToday ? '' : `${date} `}${time.slice(0, 5)} UTC`
}

function amount({ unit, used, limit, source }: WindowUse): string {
  if (source === 'filled') return 'as the provider said'
  if (unit === 'usd') return `$${used.toFixed(2)} of $${limit.toFixed(2)}`
  if (unit === 'share') return `${Math.round((used / limit) * 100)} %`
  return `${used} of ${limit} ${unit}`
}
