import { type DownLine, newLine, type Streak, withFailure, withTurn } from './down-line.ts'
import { rebased } from './span.ts'

/** When a breaker opens, for how long, and what closes it. */
export interface BreakerSettings {
  /** Consecutive failures that open it; unknown failures count half. Default 5. */
  consecutive?: number
  /** Share of failures within the window that opens it. Default 0.5. */
  rate?: number
  /** Minimum number of calls in the window before the share counts. Default 10. */
  minimum?: number
  /** Length of the window, in milliseconds. Default 60 s. */
  windowMs?: number
  /**
   * How long it stays open for calls that can go elsewhere, in milliseconds; then one may probe. Doubles with every failed
   * probe. Default 30 s.
   */
  cooldownMs?: number
  /** The longest cooldown, in milliseconds. Default 2 min. */
  maxCooldownMs?: number
  /** Consecutive successful probes that close it. Default 1. */
  successes?: number
}

export type BreakerRules = Required<BreakerSettings>

export const BREAKER_DEFAULTS: BreakerRules = {
  consecutive: 5,
  rate: 0.5,
  minimum: 10,
  windowMs: 60_000,
  cooldownMs: 30_000,
  maxCooldownMs: 120_000,
  successes: 1,
}

/** Counts of calls in one slot of the window. */
interface Slot {
  /** Start of the slot, in epoch milliseconds. */
  at: number
  total: number
  /** Weighted: unknown failures count half. */
  failures: number
}

/** The one call that may find out whether the provider is back. */
export interface ProbeInFlight {
  id: string
  /** Epoch milliseconds. The holder renews it, so only the probe of a dead process expires. */
  until: number
}

/**
 * Plain JSON, stored as it is. Each state has only the fields it needs: only a half-open breaker can have a probe in flight,
 * only an open one a time at which it becomes half-open.
 */
export type BreakerState =
  /**
   * `failures` in a row, the first at `failedAt`; the last success between failures at `servedAt`. `since`: when a success
   * closed it; what began before says nothing new.
   */
  | {
      state: 'closed'
      failures: number
      failedAt?: number
      servedAt?: number
      slots: readonly Slot[]
      since?: number
    }
  | { state: 'open'; from: number; until: number; reopened: number; line: DownLine }
  | { state: 'half_open'; from: number; reopened: number; line: DownLine; probe?: ProbeInFlight }

type ClosedBreaker = Extract<BreakerState, { state: 'closed' }>

/** A breaker that is not closed. */
export type DownBreaker = Exclude<BreakerState, { state: 'closed' }>

export type BreakerPhase = BreakerState['state']

export const CLOSED: BreakerState = { state: 'closed', failures: 0, slots: [] }

const SLOTS = 6

/** The result of a call. */
export interface Ended {
  /** When it began, and now; epoch milliseconds. */
  startedAt: number
  now: number
  /** In [0, 1). */
  random: number
  /** Whether it held the probe. Default false. */
  isProbe?: boolean
}

/** The state now: an open breaker whose cooldown is over is half-open. */
export function breakerAt(stored: BreakerState, now: number): BreakerState {
  if (stored.state === 'closed') return stored
  const state = withLine(stored)
  if (state.state === 'half_open') return state
  const open = rebased(state, now)
  // The clock was set back: the line starts over.
  const line =
    open === state
      ? open.line
      : { ...open.line, since: now, turnAt: now, turnedAt: now, servedAt: undefined, outSince: undefined }
  if (now >= open.until) return { state: 'half_open', from: open.until, reopened: open.reopened, line }
  return open === state ? open : { ...open, line }
}

/** Not by chance. */
const SURE: Streak = { failed: 50, failedAt: 0 }

/** States that an earlier version stored have no line. */
function withLine(stored: DownBreaker): DownBreaker {
  const { line, from } = stored as Omit<DownBreaker, 'line'> & { line?: DownLine }
  return line ? stored : { ...stored, line: newLine(from, 0, 0, SURE) }
}

/** A success closes it, if the call began after it opened: then the provider is back. */
export function afterSuccess(state: BreakerState, rules: BreakerRules, ended: Ended): BreakerState {
  const { startedAt, now, isProbe } = ended
  const current = breakerAt(state, now)
  if (current.state === 'closed') {
    const slots = counted(current.slots, now, rules, 1, 0)
    const { failedAt: _over, ...rest } = current
    return { ...rest, failures: 0, slots, servedAt: now }
  }
  const { line } = current
  if (startedAt < line.since) return current
  const served = line.served + 1
  if (served >= rules.successes) return { state: 'closed', failures: 0, slots: [], since: now, servedAt: now }
  const rest = isProbe ? withoutAnyProbe(current) : current
  return { ...rest, line: { ...line, served, turnAt: now, failed: 0, failedAt: now } }
}

/** @param weight 1, or 0.5 for an unknown failure */
export function afterFailure(
  state: BreakerState,
  rules: BreakerRules,
  ended: Ended,
  weight: number,
): BreakerState {
  const { now } = ended
  const current = breakerAt(state, now)
  if (current.state !== 'closed') return failedAgain(current, rules, ended)
  if (isOld(current, ended)) return current
  const failures = current.failures + weight
  const slots = counted(current.slots, now, rules, 1, weight)
  const failedAt = current.failedAt ?? now
  if (failures >= rules.consecutive || isRateReached(slots, rules))
    return opened(rules, ended, { failed: failures, failedAt, servedAt: current.servedAt })
  return { ...current, failures, failedAt, slots }
}

/** Opens the breaker at once, regardless of the count. */
export function tripped(state: BreakerState, rules: BreakerRules, ended: Ended): BreakerState {
  const current = breakerAt(state, ended.now)
  if (current.state !== 'closed') return failedAgain(current, rules, ended)
  return isOld(current, ended) ? current : opened(rules, ended, SURE)
}

/** Whether the call began before a success closed the breaker. One that closed in the future did before the clock was set back. */
function isOld({ since = 0 }: ClosedBreaker, { startedAt, now }: Ended): boolean {
  return since <= now && startedAt < since
}

/** A call that has nobody else to go to goes first. */
export function afterTurn(
  state: DownBreaker,
  { cooldownMs }: BreakerRules,
  now: number,
  random: number,
): DownBreaker {
  return { ...state, line: withTurn(state.line, now, random, cooldownMs) }
}

/**
 * Gives the probe to `probe.id` if the breaker is half-open and the probe is free; otherwise returns the state unchanged.
 * @param isAbandoned whether the current probe's holder is known to be gone
 */
export function withProbe(
  state: BreakerState,
  now: number,
  probe: ProbeInFlight,
  isAbandoned: (present: ProbeInFlight) => boolean = () => false,
): BreakerState {
  const current = breakerAt(state, now)
  if (current.state !== 'half_open' || (current.probe && !isAbandoned(current.probe))) return state
  // The others wait for it, unless it hangs.
  return { ...current, probe, line: withTurn(current.line, now) }
}

/** Renews the probe if this holder still has it. */
export function withRenewedProbe(state: BreakerState, probe: ProbeInFlight): BreakerState {
  return state.state === 'half_open' && state.probe?.id === probe.id ? { ...state, probe } : state
}

/** The probe ended without a result, so another call may probe. */
export function withoutProbe(state: BreakerState, id: string): BreakerState {
  return state.state === 'half_open' && state.probe?.id === id ? withoutAnyProbe(state) : state
}

function withoutAnyProbe(state: DownBreaker): DownBreaker {
  if (state.state === 'open') return state
  const { probe: _over, ...rest } = state
  return rest
}

/** Adds successes counted elsewhere, so a success need not write. */
export function withSuccesses(
  state: BreakerState,
  at: number,
  rules: BreakerRules,
  successes: number,
): BreakerState {
  if (state.state !== 'closed' || successes === 0) return state
  return { ...state, slots: counted(state.slots, at, rules, successes, 0) }
}

/** The start of the window slot that contains a time. */
export function slotAt(now: number, { windowMs }: BreakerRules): number {
  const length = windowMs / SLOTS
  return Math.floor(now / length) * length
}

function opened(rules: BreakerRules, { now, random }: Ended, streak: Streak): BreakerState {
  const line = newLine(now, random, rules.cooldownMs, streak)
  return { state: 'open', from: now, until: now + cooldownOf(rules, 0), reopened: 0, line }
}

function failedAgain(
  state: DownBreaker,
  rules: BreakerRules,
  { startedAt, now, isProbe }: Ended,
): BreakerState {
  const { reopened } = state
  // It says nothing that is not known.
  if (startedAt < state.line.since && !isProbe) return state
  const line = withFailure(state.line, startedAt)
  if (!isProbe || state.state === 'open') return { ...state, line }
  const until = now + cooldownOf(rules, reopened + 1)
  return { state: 'open', from: now, until, reopened: reopened + 1, line }
}

function cooldownOf({ cooldownMs, maxCooldownMs }: BreakerRules, reopened: number): number {
  return Math.min(cooldownMs * 2 ** Math.min(reopened, 30), Math.max(cooldownMs, maxCooldownMs))
}

function counted(
  slots: readonly Slot[],
  now: number,
  rules: BreakerRules,
  total: number,
  failures: number,
): readonly Slot[] {
  const at = slotAt(now, rules)
  // A slot in the future dates from before the clock was set back.
  const kept = slots.filter(slot => slot.at > now - rules.windowMs && slot.at <= at)
  const last = kept.at(-1)
  return last?.at === at
    ? [...kept.slice(0, -1), { at, total: last.total + total, failures: last.failures + failures }]
    : [...kept, { at, total, failures }]
}

function isRateReached(slots: readonly Slot[], { rate, minimum }: BreakerRules): boolean {
  let total = 0
  let failures = 0
  for (const slot of slots) {
    total += slot.total
    failures += slot.failures
  }
  return total >= minimum && failures >= total * rate
}
