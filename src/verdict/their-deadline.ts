import type { Failure } from '../failure/failure.ts'

/**
 * True for a deadline of the provider or the system, not of the caller: 408, 504, a connection that was never made. The other side
 * gave up early, so a second try has its full time; every preset that distinguishes timeouts asks here.
 */
export function isTheirDeadline({ kind, status, code, origin }: Failure): boolean {
  if (origin !== undefined) return false
  return kind === 'gateway_timeout' || kind === 'connect_timeout' || status === 408 || code === 'ETIMEDOUT'
}
