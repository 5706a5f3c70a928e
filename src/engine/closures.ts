import { present } from '../failure/present.ts'
import { type Asking, rows, written } from '../ledger/record/asking.ts'
import * as access from '../ledger/record/provider-access.ts'
import { UNTIL_CLEARED } from '../ledger/row/provider-access.ts'
import { withoutSecrets } from '../ledger/without-secrets.ts'
import type { BlockReason, Pauses, StoppableClaims } from './engine.ts'

// What must not be claimed, because a person paused it or its provider cannot serve; each change with its event. Which providers
// are paused is health's.

/** Stops claims of it, unless they are stopped. */
export function* pauseClaims(what: StoppableClaims, now: number): Asking<void> {
  const insert = 'INSERT INTO pauses (kind, name) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1'
  if ((yield* written(insert, ...rowOf(what))) > 0) yield { tell: 'paused', at: now, data: { ...what } }
}

/** Ends the pause, if there is one. */
export function* resumeClaims(what: StoppableClaims, now: number): Asking<void> {
  const remove = 'DELETE FROM pauses WHERE kind = $1 AND name = $2 RETURNING 1'
  if ((yield* written(remove, ...rowOf(what))) > 0) yield { tell: 'resumed', at: now, data: { ...what } }
}

export function* pauses(now: number): Asking<Pauses> {
  const paused = yield* rows<{ kind: string; name: string }>('SELECT kind, name FROM pauses ORDER BY name')
  return {
    queue: paused.some(({ kind }) => kind === 'queue'),
    capabilities: paused.filter(({ kind }) => kind === 'capability').map(({ name }) => name),
    providers: [...(yield* access.pauses())].flatMap(([id, until]) => (until > now ? [id] : [])),
  }
}

/** Blocks a provider, unless it is blocked until then. */
export function* block(
  provider: string,
  until: number | 'cleared',
  why: BlockReason | undefined,
  now: number,
): Asking<void> {
  if (!(yield* access.blockAccess(provider, until === 'cleared' ? UNTIL_CLEARED : until))) return
  const data = {
    provider,
    ...(until === 'cleared' ? {} : { until }),
    ...(why?.failure ? { class: why.failure.class, kind: why.failure.kind } : {}),
    ...(why ? { cause: why.cause } : {}),
    ...present({ reason: why?.reason, said: why?.said, paced: why?.isPaced }),
  }
  yield { tell: 'provider_blocked', at: now, data: withoutSecrets(data) }
}

function rowOf(what: StoppableClaims): [string, string] {
  return 'queue' in what ? ['queue', ''] : ['capability', what.capability]
}
