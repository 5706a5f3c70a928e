import { type Asking, rows, written } from '../ledger/record/asking.ts'
import type { BlockReason, Pauses, StoppableClaims } from './engine.ts'
import { pausedUntil } from './provider-access.ts'

// What must not be claimed because a person paused it, written once for both databases. Which providers are paused is health's.

/** Returns whether it was not paused before. */
export function* pauseClaims(what: StoppableClaims): Asking<boolean> {
  const insert = 'INSERT INTO pauses (kind, name) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1'
  return (yield* written(insert, ...rowOf(what))) > 0
}

/** Returns whether it was paused. */
export function* resumeClaims(what: StoppableClaims): Asking<boolean> {
  return (yield* written('DELETE FROM pauses WHERE kind = $1 AND name = $2 RETURNING 1', ...rowOf(what))) > 0
}

export function* pauses(now: number): Asking<Pauses> {
  const paused = yield* rows<{ kind: string; name: string }>('SELECT kind, name FROM pauses ORDER BY name')
  return {
    queue: paused.some(({ kind }) => kind === 'queue'),
    capabilities: paused.filter(({ kind }) => kind === 'capability').map(({ name }) => name),
    providers: [...(yield* pausedUntil(now)).keys()],
  }
}

function rowOf(what: StoppableClaims): [string, string] {
  return 'queue' in what ? ['queue', ''] : ['capability', what.capability]
}

/** What the event of a block says. */
export function blockedEvent(
  provider: string,
  until: number | 'cleared',
  why: BlockReason | undefined,
): Record<string, unknown> {
  return {
    provider,
    ...(until === 'cleared' ? {} : { until }),
    ...(why?.failure ? { class: why.failure.class, kind: why.failure.kind } : {}),
    ...(why ? { cause: why.cause } : {}),
    ...(why?.reason === undefined ? {} : { reason: why.reason }),
  }
}
