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

/** A row of the table provider_gates: that a provider was closed, until when it is blocked, or since when it opens. */
export interface AccessRow {
  provider: string
  blocked_until: number | null
  freed_at: number | null
  /** How many have started since; below 0: so many may start although it is blocked. */
  taken: number
}

/** What a provider lets through. */
export type AccessState =
  /** `isUnrecorded`: no row says that it was closed, so nobody would notice that it is free again. */
  | { state: 'closed'; until: number; isUnrecorded?: true }
  /** Free again, but not for all operations at once: `room` more may start before `nextAt`. */
  | { state: 'opening'; room: number; nextAt: number }
  /** Just found free: operations that wait for it must still be moved. */
  | { state: 'freed' }
  | { state: 'open' }

/**
 * What each provider lets through now. Those that are not named are open.
 * @param paused the paused providers, and until when. Health has them: they are read, never copied.
 */
export function accessStates(
  rows: readonly AccessRow[],
  paused: ReadonlyMap<string, number>,
  now: number,
): Map<string, AccessState> {
  const states = new Map(rows.map(row => [row.provider, stateOf(row, now)]))
  const recorded = new Set(rows.flatMap(row => (row.freed_at === null ? [row.provider] : [])))
  for (const [provider, until] of paused) {
    const access = states.get(provider)
    const blockedUntil = access?.state === 'closed' ? access.until : 0
    states.set(provider, {
      state: 'closed',
      until: Math.min(UNTIL_CLEARED, Math.max(until, blockedUntil)),
      ...(recorded.has(provider) ? {} : { isUnrecorded: true }),
    })
  }
  return states
}

/** The paused providers that no row records as closed. */
export function unrecordedOf(accesses: ReadonlyMap<string, AccessState>): string[] {
  return [...accesses].flatMap(([provider, access]) =>
    access.state === 'closed' && access.isUnrecorded ? [provider] : [],
  )
}

/** What a provider lets through now, unless it is paused. */
function stateOf({ blocked_until, freed_at, taken }: AccessRow, now: number): AccessState {
  if (freed_at === null) {
    if (blocked_until === null || blocked_until <= now) return { state: 'freed' }
    return taken < 0
      ? { state: 'opening', room: -taken, nextAt: blocked_until }
      : { state: 'closed', until: blocked_until }
  }
  const step = Math.max(0, Math.floor((now - freed_at) / RAMP_STEP_MS))
  const room = 2 ** (step + 1) - 1 - taken
  if (step >= RAMP_STEPS || room >= OPEN_ROOM) return { state: 'open' }
  return {
    state: 'opening',
    room: Math.max(0, room),
    nextAt: Math.max(now + 1, freed_at + (step + 1) * RAMP_STEP_MS),
  }
}
