import type { Capability } from './capability.ts'
import type { Failed } from './hooks.ts'

/**
 * Parts that a result says of itself are not there: `verified` in it names parts, and every value but true and
 * "verified" is a part that is missing. For use in `handleResult`.
 */
export function partsNotVerified(result: unknown): string[] {
  return Object.entries(partsOf(result))
    .filter(([, state]) => state !== true && state !== 'verified')
    .map(([part]) => part)
}

/**
 * What becomes of a result where the capability has no `handleResult`. A success which tells that a part of it could
 * not be verified is no success yet, if there may be another try; that one asks first where it has to.
 */
export function partlyVerified({ retry }: Pick<Capability, 'retry'>, result: unknown): Failed | undefined {
  if (retry === 'none' || !isReport(result)) return undefined
  const missing = partsNotVerified(result)
  if (missing.length === 0) return undefined
  return {
    failed: {
      error: `not all of it could be verified; missing: ${missing.join(', ')}`,
      error_kind: 'server_error',
    },
  }
}

/** How a part of the work stands. Anything else under `verified` is data: dates, addresses, counts. */
const STATES: ReadonlySet<unknown> = new Set([
  true,
  false,
  null,
  'verified',
  'absent',
  'indeterminate',
  'partial',
])

/** A report about work done, not a record that happens to have a field of this name. */
function isReport(result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false
  const { success, ok, status } = result as Record<string, unknown>
  const isSuccess = success === true || ok === true || status === 'ok' || status === 'success'
  return isSuccess && Object.values(partsOf(result)).every(state => STATES.has(state))
}

function partsOf(result: unknown): Record<string, unknown> {
  const { verified } = (result ?? {}) as { verified?: unknown }
  return typeof verified === 'object' && verified !== null && !Array.isArray(verified)
    ? (verified as Record<string, unknown>)
    : {}
}
