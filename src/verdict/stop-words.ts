import type { CancelReason } from './verdict.ts'

/** Why work ended without success, for people: the same words everywhere. */
export const STOPPED: Readonly<Record<CancelReason, string>> = {
  refused: 'it was refused',
  exhausted: 'no retries are left',
  expired: 'its time ran out',
  unverifiable: 'cannot be verified',
  cancelled: 'it was cancelled',
  stopped: 'it was stopped',
}
