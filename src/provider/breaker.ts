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
  /** How long it stays open before one call may probe, in milliseconds; doubles with every failed probe. Default 30 s. */
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
  | { state: 'closed'; failures: number; slots: readonly Slot[] }
  | { state: 'open'; from: number; until: number; reopened: number }
  | { state: 'half_open'; from: number; reopened: number; successes: number; probe?: ProbeInFlight }

export type BreakerPhase = BreakerState['state']

export const CLOSED: BreakerState = { state: 'closed', failures: 0, slots: [] }

const SLOTS = 6

/** The state now: an open breaker whose cooldown is over is half-open. */
export function breakerAt(state: BreakerState, now: number): BreakerState {
  if (state.state !== 'open') return state
  const open = rebased(state, now)
  return now >= open.until
    ? { state: 'half_open', from: open.until, reopened: open.reopened, successes: 0 }
    : open
}

/** @param isProbe whether the call held the probe; other calls do not count unless the breaker is closed */
export function afterSuccess(
  state: BreakerState,
  now: number,
  rules: BreakerRules,
  isProbe = false,
): BreakerState {
  const current = breakerAt(state, now)
  if (current.state === 'closed') {
    const slots = counted(current.slots, now, rules, 1, 0)
    return { state: 'closed', failures: 0, slots }
  }
  if (current.state === 'open' || !isProbe) return current
  const successes = current.successes + 1
  if (successes >= rules.successes) return CLOSED
  const { probe: _ended, ...rest } = current
  return { ...rest, successes }
}

/** @param weight 1, or 0.5 for an unknown failure */
export function afterFailure(
  state: BreakerState,
  now: number,
  rules: BreakerRules,
  weight: number,
  isProbe = false,
): BreakerState {
  const current = breakerAt(state, now)
  if (current.state === 'open') return current
  if (current.state === 'half_open') return isProbe ? opened(now, rules, current.reopened + 1) : current
  const failures = current.failures + weight
  const slots = counted(current.slots, now, rules, 1, weight)
  if (failures >= rules.consecutive || isRateReached(slots, rules)) return opened(now, rules, 0)
  return { state: 'closed', failures, slots }
}

/** Opens the breaker at once, regardless of the count. */
export function tripped(
  state: BreakerState,
  now: number,
  rules: BreakerRules,
  isProbe = false,
): BreakerState {
  const current = breakerAt(state, now)
  if (current.state === 'closed') return opened(now, rules, 0)
  if (current.state === 'half_open' && isProbe) return opened(now, rules, current.reopened + 1)
  return current
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
  return { ...current, probe }
}

/** Renews the probe if this holder still has it. */
export function withRenewedProbe(state: BreakerState, probe: ProbeInFlight): BreakerState {
  return state.state === 'half_open' && state.probe?.id === probe.id ? { ...state, probe } : state
}

/** The probe ended without a result, so another call may probe. */
export function withoutProbe(state: BreakerState, id: string): BreakerState {
  if (state.state !== 'half_open' || state.probe?.id !== id) return state
  const { probe: _released, ...rest } = state
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

function opened(now: number, { cooldownMs, maxCooldownMs }: BreakerRules, reopened: number): BreakerState {
  const cooldown = Math.min(cooldownMs * 2 ** Math.min(reopened, 30), Math.max(cooldownMs, maxCooldownMs))
  return { state: 'open', from: now, until: now + cooldown, reopened }
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
