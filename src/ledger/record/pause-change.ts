import { present } from '../../failure/present.ts'
import { readKey } from '../../provider/keys.ts'
import type { Pause } from '../../provider/provider-health.ts'
import { withoutSecrets } from '../without-secrets.ts'
import type { Asking } from './asking.ts'
import { closeAccess, tellFreed } from './provider-access.ts'

/**
 * What belongs to a change of provider state if somebody paused or resumed a provider: the event, and that it opens gradually
 * afterwards. Written with the change, so that neither exists without the other.
 */
export function* pauseChange(key: string, before: unknown, after: unknown, now: number): Asking<void> {
  const of = readKey(key)
  if (of?.of !== 'pause') return
  const { provider } = of
  if (after === undefined) yield* tellFreed(provider, now)
  else yield* closeAccess(provider)
  if ((before === undefined) === (after === undefined)) return
  const { reason, until } = (after ?? {}) as Partial<Pause>
  yield {
    tell: after === undefined ? 'resumed' : 'paused',
    at: now,
    data: withoutSecrets({ provider, ...present({ reason, until }) }),
  }
}
