import type { Disposition } from '../ledger/notice.ts'

const MINUTE = 60_000
const DAY = 86_400_000

/** How long an informational notice is kept, in milliseconds: 60 minutes. */
export const INFORMATION_LIFETIME_MS = 60 * MINUTE
/** How long an actionable notice is kept, in milliseconds: 30 days. */
export const ACTIONABLE_LIFETIME_MS = 30 * DAY
/** Events older than this make no notice, so a consumer that starts late sends no old news; in milliseconds: 1 day. */
export const OLDEST_NEWS_MS = DAY

/** When a notice is deleted, epoch milliseconds. */
export function expiresAt(disposition: Disposition, madeAt: number): number {
  return madeAt + (disposition === 'information' ? INFORMATION_LIFETIME_MS : ACTIONABLE_LIFETIME_MS)
}
