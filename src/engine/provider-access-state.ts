/**
 * After a provider is freed, the number of operations that may start doubles this often, in milliseconds, even if none
 * has ended yet.
 */
export const RAMP_STEP_MS = 1_000
/** Doublings until everything may start. */
export const RAMP_STEPS = 10
/** How many more may start for each success, so that their number doubles as fast as the provider serves. */
export const STARTS_PER_SERVED = 2
/** More room than the last step of time gives: everything may start. */
const OPEN_ROOM = 2 ** RAMP_STEPS
/** Blocked until cleared: the last time that a date can hold. */
export const UNTIL_CLEARED = 8_640_000_000_000_000

/** A row of the table provider_gates: what closes a provider, or since when it opens. */
export interface AccessRow {
  provider: string
  blocked_until: number | null
  paused: number
  freed_at: number | null
  taken: number
}

/** What a provider lets through. */
export type AccessState =
  | { state: 'closed'; until: number }
  /** Free again, but not for all operations at once: `room` more may start before `nextAt`. */
  | { state: 'opening'; room: number; nextAt: number }
  /** Just found free: operations that wait for it must still be moved. */
  | { state: 'freed' }
  | { state: 'open' }

/** What a provider lets through now. */
export function stateOf({ blocked_until, paused, freed_at, taken }: AccessRow, now: number): AccessState {
  if (paused === 1) return { state: 'closed', until: UNTIL_CLEARED }
  if (freed_at === null)
    return blocked_until !== null && blocked_until > now
      ? { state: 'closed', until: blocked_until }
      : { state: 'freed' }
  const step = Math.max(0, Math.floor((now - freed_at) / RAMP_STEP_MS))
  const room = 2 ** (step + 1) - 1 - taken
  if (step >= RAMP_STEPS || room >= OPEN_ROOM) return { state: 'open' }
  return {
    state: 'opening',
    room: Math.max(0, room),
    nextAt: Math.max(now + 1, freed_at + (step + 1) * RAMP_STEP_MS),
  }
}
