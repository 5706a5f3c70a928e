import { present } from '../../failure/present.ts'
import { readKey } from '../../provider/keys.ts'
import type { Pause } from '../../provider/provider-health.ts'
import {
  type AccessRow,
  type AccessState,
  accessStates,
  freedSince,
  IS_PAUSE,
  type PauseRow,
  pauseEnds,
  STARTS_PER_SERVED,
  UNTIL_CLEARED,
} from '../row/provider-access.ts'
import { withoutSecrets } from '../without-secrets.ts'
import { type Asking, row, rows } from './asking.ts'

// Which providers may be used now, for claims and for everything that says why an operation waits. Health decides. It keeps
// pauses here, which are read as they are; what follows from its other state, `queue/provider-holds.ts` alone writes to
// provider_gates, because a claim cannot ask health. One that is neither paused nor has a row may be used.

/** What each provider lets through now; those that are not named are open. */
export function* accesses(now: number): Asking<Map<string, AccessState>> {
  const gates = yield* rows<AccessRow>('SELECT * FROM provider_gates')
  return accessStates(gates, yield* pauses(), now)
}

/** Until when providers are paused, or were. Health keeps that: it is read, never copied. */
export function* pauses(): Asking<Map<string, number>> {
  return pauseEnds(
    yield* rows<PauseRow>(`SELECT key, value FROM provider_state WHERE ${IS_PAUSE} ORDER BY key`),
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

/** Ends the block of a provider. Held work comes back gradually from now on, unless a pause keeps it closed. */
export function* unblockAccess(provider: string, now: number): Asking<void> {
  const gate = yield* locked(provider)
  if (!gate || gate.blocked_until === null || gate.freed_at !== null) return
  yield* write(provider, null, null, 0)
  yield* tellFreed(provider, now, now)
}

/** Written with a pause, so that the first who finds the provider free again opens it gradually. */
export function* closeAccess(provider: string): Asking<void> {
  const gate = yield* locked(provider)
  yield* write(provider, gate?.freed_at === null ? gate.blocked_until : null, null, 0)
}

/**
 * Writes the event that a provider can be used again, once.
 * @param since when it was free again. Default as soon as neither a block nor a pause closed it
 */
export function* tellFreed(provider: string, now: number, since?: number): Asking<void> {
  const gate = yield* locked(provider)
  const ends = yield* pauses()
  if (!gate || !accessStates([gate], ends, now).get(provider)?.isUntold) return
  yield* write(provider, null, since ?? freedSince(gate.blocked_until, ends.get(provider), now), 0)
  yield { tell: 'provider_freed', at: now, data: { provider } }
}

/** So many operations start while the provider opens, unless it was closed meanwhile. */
export function* takeAccess(provider: string, count: number): Asking<void> {
  const opens = 'freed_at IS NOT NULL OR taken < 0'
  yield* rows(
    `UPDATE provider_gates SET taken = taken + $2 WHERE provider = $1 AND (${opens})`,
    provider,
    count,
  )
}

/** A call that began at this time was served: if that was after the provider was freed, more may start. */
export function* servedAccess(provider: string, startedAt: number): Asking<void> {
  yield* rows(
    `UPDATE provider_gates SET taken = taken - ${STARTS_PER_SERVED} WHERE provider = $1 AND freed_at <= $2`,
    provider,
    startedAt,
  )
}

/** Forgets that the provider was closed, once everything may use it. */
export function* forgetAccess(provider: string, now: number): Asking<void> {
  const gate = yield* locked(provider)
  const access = gate && accessStates([gate], yield* pauses(), now).get(provider)
  if (access?.state === 'open' && !access.isUntold)
    yield* rows('DELETE FROM provider_gates WHERE provider = $1', provider)
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

/**
 * What belongs to a change of provider state if somebody paused or resumed a provider: the event, and that it opens gradually
 * afterwards. Written with the change, so that neither exists without the other.
 */
export function* pauseChange(key: string, before: unknown, after: unknown, now: number): Asking<void> {
  const of = readKey(key)
  if (of?.of !== 'pause') return
  const { provider } = of
  if (after === undefined) yield* tellFreed(provider, now, now)
  else yield* closeAccess(provider)
  if ((before === undefined) === (after === undefined)) return
  const { reason, until } = (after ?? {}) as Partial<Pause>
  yield {
    tell: after === undefined ? 'resumed' : 'paused',
    at: now,
    data: withoutSecrets({ provider, ...present({ reason, until }) }),
  }
}
