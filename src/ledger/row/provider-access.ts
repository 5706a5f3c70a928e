import { readKey } from '../../provider/keys.ts'
import type { Pause } from '../../provider/provider-health.ts'

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

/** What a provider lets through. `isUntold`: it is free again, and no event says so yet. */
export type AccessState =
  | { state: 'closed'; until: number; isUntold?: undefined }
  /** Free again, but not for all operations at once: `room` more may start before `nextAt`. */
  | { state: 'opening'; room: number; nextAt: number; isUntold?: true }
  | { state: 'open'; isUntold?: true }

/** What each provider lets through; those that are not named are open. */
export type Accesses = ReadonlyMap<string, AccessState>

/** @param pauses until when providers are paused, or were. Health has them: they are read, never copied. */
export function accessStates(
  rows: readonly AccessRow[],
  pauses: ReadonlyMap<string, number>,
  now: number,
): Map<string, AccessState> {
  const states = new Map(rows.map(row => [row.provider, stateOf(row, pauses.get(row.provider), now)]))
  for (const [provider, until] of pauses)
    if (until > now && !states.has(provider))
      states.set(provider, { state: 'closed', until: Math.min(UNTIL_CLEARED, until) })
  return states
}

/** What a provider lets through now. */
function stateOf(
  { blocked_until, freed_at, taken }: AccessRow,
  pausedUntil: number | undefined,
  now: number,
): AccessState {
  const isPaused = pausedUntil !== undefined && pausedUntil > now
  const isBlocked = freed_at === null && blocked_until !== null && blocked_until > now
  if (isPaused)
    return {
      state: 'closed',
      until: Math.min(UNTIL_CLEARED, Math.max(pausedUntil, isBlocked ? blocked_until : 0)),
    }
  if (isBlocked)
    return taken < 0
      ? { state: 'opening', room: -taken, nextAt: blocked_until }
      : { state: 'closed', until: blocked_until }
  const since = freed_at ?? freedSince(blocked_until, pausedUntil, now)
  const untold = freed_at === null ? ({ isUntold: true } as const) : {}
  // The clock was ahead then: opening takes no longer than this.
  if (since - now > RAMP_STEPS * RAMP_STEP_MS) return { state: 'open' }
  const step = Math.max(0, Math.floor((now - since) / RAMP_STEP_MS))
  const room = 2 ** (step + 1) - 1 - taken
  if (step >= RAMP_STEPS || room >= OPEN_ROOM) return { state: 'open', ...untold }
  return {
    state: 'opening',
    room: Math.max(0, room),
    nextAt: Math.max(now + 1, since + (step + 1) * RAMP_STEP_MS),
    ...untold,
  }
}

/** When it was free again, if nobody has recorded it: as soon as neither a block nor a pause closed it. */
export function freedSince(
  blockedUntil: number | null,
  pausedUntil: number | undefined,
  now: number,
): number {
  const ends = [blockedUntil ?? undefined, pausedUntil].filter(at => at !== undefined)
  return ends.length === 0 ? now : Math.min(now, Math.max(...ends))
}

/**
 * How an operation that any of these providers can serve would run: through one that opens gradually, not before one of them is
 * free, or at once.
 */
export type Way =
  | { through: string; closedBy?: undefined }
  | { through?: undefined; closedBy: string; until: number }
  | { through?: undefined; closedBy?: undefined }

/** @param hasRoom of several that open, the first with room is taken. Default all have. */
export function wayOf(
  providers: readonly string[],
  accesses: Accesses,
  hasRoom: (provider: string) => boolean = () => true,
): Way {
  let first: { closedBy: string; until: number } | undefined
  let opening: string | undefined
  for (const provider of providers) {
    const access = accesses.get(provider)
    if (access?.state === 'closed') {
      if (!first || access.until < first.until) first = { closedBy: provider, until: access.until }
    } else if (access?.state !== 'opening') return {}
    else if (opening === undefined || !hasRoom(opening)) opening = provider
  }
  return opening === undefined ? (first ?? {}) : { through: opening }
}

/** The provider that a due operation waits for; undefined if any of its providers lets everything through. */
export function holderOf(providers: readonly string[], accesses: Accesses): string | undefined {
  const { through, closedBy } = wayOf(providers, accesses)
  return through ?? closedBy
}

/** Which rows of `provider_state` are pauses in force or over. A range of keys, because an index answers that. */
export const IS_PAUSE = `key >= 'pause/' AND key < 'pause0' AND value IS NOT NULL`

/** A stored pause. */
export interface PauseRow {
  key: string
  /** JSON. */
  value: string
}

/** Until when providers are paused, or were; Infinity without an end. */
export function pauseEnds(rows: readonly PauseRow[]): Map<string, number> {
  const ends = new Map<string, number>()
  for (const { key, value } of rows) {
    const of = readKey(key)
    const { until = Infinity } = JSON.parse(value) as Pause
    if (of?.of === 'pause') ends.set(of.provider, until)
  }
  return ends
}
