import { call } from '../call/call.ts'
import type { SurfaceConfig } from '../config/schema/surface.ts'
import { present } from '../failure/present.ts'
import { surfaceOf } from './surface/from-config.ts'
import type { Reached, SurfaceHost } from './surface/surface.ts'

/** Longest time for a surface to answer, in milliseconds. */
const ANSWER_WITHIN_MS = 10_000

/**
 * Finds out whether a surface of a trusted config can be reached, without a message to anybody. Asks once. Rejects with a
 * `CallFailed` or a `MissingReference`.
 */
export async function checkSurface(
  config: SurfaceConfig,
  host: SurfaceHost,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Reached> {
  const surface = surfaceOf(config, host)
  const { value } = await call(async context => surface.check?.(context) ?? { notChecked: 'anything' }, {
    name: `check of ${config.name}`,
    maxRetries: 0,
    attemptTimeoutMs: Math.min(config.timeoutMs, ANSWER_WITHIN_MS),
    repeatable: true,
    softFailures: false,
    ...present({ signal }),
  })
  return value
}
