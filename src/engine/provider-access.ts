import { IS_PAUSE, type PauseRow, pausedProviders } from '../ledger/provider-pause.ts'
import { type Asking, row, rows } from '../ledger/record/asking.ts'
import {
  type AccessRow,
  type AccessState,
  accessStates,
  STARTS_PER_SERVED,
  UNTIL_CLEARED,
} from './provider-access-state.ts'

// Which providers the engine may use now, written once for both databases. Health decides; a row of provider_gates is what the
// engine last heard of it, and how far a provider has opened since. One that is neither paused nor has a row may be used.

/** What each provider lets through now; those that are not named are open. */
export function* accesses(now: number): Asking<Map<string, AccessState>> {
  const gates = yield* rows<AccessRow>('SELECT * FROM provider_gates')
  return accessStates(gates, yield* pausedUntil(now), now)
}

/** The paused providers, and until when. Health keeps them: they are read, never copied. */
export function* pausedUntil(now: number): Asking<Map<string, number>> {
  return pausedProviders(
    yield* rows<PauseRow>(`SELECT key, value FROM provider_state WHERE ${IS_PAUSE} ORDER BY key`),
    now,
  )
}

/** The blocked providers, and until when. */
export function* blockedUntil(): Asking<Map<string, number | 'cleared'>> {
  const gates = yield* rows<AccessRow>(
    'SELECT * FROM provider_gates WHERE blocked_until IS NOT NULL AND freed_at IS NULL',
  )
  return new Map(
    gates.map(({ provider, blocked_until: until }) => [
      provider,
      until === UNTIL_CLEARED ? 'cleared' : (until as number),
    ]),
  )
}

/** Returns whether anything changed. */
export function* blockAccess(provider: string, until: number): Asking<boolean> {
  const gate = yield* locked(provider)
  if (gate?.blocked_until === until && gate.freed_at === null) return false
  yield* write(provider, until, null, 0)
  return true
}

/** Returns whether anything changed. */
export function* letOneThrough(provider: string): Asking<boolean> {
  const gate = yield* locked(provider)
  if (gate?.blocked_until !== UNTIL_CLEARED || gate.freed_at !== null || gate.taken !== 0) return false
  yield* write(provider, UNTIL_CLEARED, null, -1)
  return true
}

/** Ends the block of a provider. Returns whether that opens it, because nothing else keeps it closed. */
export function* unblockAccess(provider: string, now: number): Asking<boolean> {
  const gate = yield* locked(provider)
  if (!isBlocked(gate)) return false
  const isPaused = (yield* pausedUntil(now)).has(provider)
  yield* write(provider, null, isPaused ? null : now, 0)
  return !isPaused
}

/** Whether the end of its block would open it. */
export function* opensByUnblock(provider: string, now: number): Asking<boolean> {
  const gate = yield* row<AccessRow>('SELECT * FROM provider_gates WHERE provider = $1', provider)
  return isBlocked(gate) && !(yield* pausedUntil(now)).has(provider)
}

/** Records that a paused provider is closed, so that the first who finds it free again opens it gradually. */
export function* closeAccess(provider: string): Asking<void> {
  const gate = yield* locked(provider)
  yield* write(provider, gate?.freed_at === null ? gate.blocked_until : null, null, 0)
}

/** A block or pause is over: held work comes back gradually from then on. Returns false if another process was first. */
export function* freeAccess(provider: string, now: number): Asking<boolean> {
  const gate = yield* locked(provider)
  if (!gate || (yield* stateOf(gate, now)) !== 'freed') return false
  yield* write(provider, null, Math.min(gate.blocked_until ?? now, now), 0)
  return true
}

/** So many operations start while the provider opens. */
export function* takeAccess(provider: string, count: number): Asking<void> {
  yield* rows('UPDATE provider_gates SET taken = taken + $2 WHERE provider = $1', provider, count)
}

/** A call that began at this time was served: if that was after the provider was freed, more may start. */
export function* servedAccess(provider: string, startedAt: number): Asking<void> {
  yield* rows(
    `UPDATE provider_gates SET taken = taken - ${STARTS_PER_SERVED} WHERE provider = $1 AND freed_at <= $2`,
    provider,
    startedAt,
  )
}

/** Opens the provider fully: nothing is held for it any more. */
export function* forgetAccess(provider: string, now: number): Asking<void> {
  const gate = yield* locked(provider)
  if (gate && (yield* stateOf(gate, now)) === 'open')
    yield* rows('DELETE FROM provider_gates WHERE provider = $1', provider)
}

function* stateOf(gate: AccessRow, now: number): Asking<AccessState['state'] | undefined> {
  return accessStates([gate], yield* pausedUntil(now), now).get(gate.provider)?.state
}

/** A provider without a row cannot be locked by its row. */
function* locked(provider: string): Asking<AccessRow | undefined> {
  yield { alone: `:gate:${provider}` }
  return yield* row<AccessRow>('SELECT * FROM provider_gates WHERE provider = $1 FOR UPDATE', provider)
}

function* write(
  provider: string,
  blockedUntil: number | null,
  freedAt: number | null,
  taken: number,
): Asking<void> {
  yield* rows(
    `INSERT INTO provider_gates (provider, blocked_until, freed_at, taken) VALUES ($1, $2, $3, $4)
     ON CONFLICT (provider) DO UPDATE SET blocked_until = $2, freed_at = $3, taken = $4`,
    provider,
    blockedUntil,
    freedAt,
    taken,
  )
}

function isBlocked(gate: AccessRow | undefined): boolean {
  return gate !== undefined && gate.blocked_until !== null && gate.freed_at === null
}
