import type { Capability } from './capability.ts'
import type { Failed } from './hook.ts'

/**
 * Parts that a result itself reports as missing: `verified` in it names parts, and any value but true and "verified" means the
 * part is missing. For use in `handleResult`.
 */
export function partsNotVerified(result: unknown): string[] {
  return Object.entries(partsOf(result))
    .filter(([, state]) => state !== true && state !== 'verified')
    .map(([part]) => part)
}

/**
 * Judges a result if the capability has no `handleResult`. A success that reports an unverified part does not count yet, if
 * another try is allowed; that try verifies first if it must.
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

/** States of a part. Any other value under `verified` is data: dates, addresses, counts. */
const STATES: ReadonlySet<unknown> = new Set([
  true,
  false,
  null,
  'verified',
  'absent',
  'indeterminate',
  'partial',
])

/** True for a report about finished work, not a record that happens to have a field of this name. */
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
