import type { Disposition } from '../ledger/notice.ts'

const MINUTE = 60_000
const DAY = 86_400_000

/** How long what is good to know is kept, in milliseconds: 60 minutes. */
export const INFORMATION_LIFETIME_MS = 60 * MINUTE
/** How long what needs somebody is kept, in milliseconds: 30 days. */
export const ACTIONABLE_LIFETIME_MS = 30 * DAY
/** What happened longer ago is no news: a notice consumer that starts late tells nobody of it, in milliseconds. */
export const OLDEST_NEWS_MS = DAY

/** When a notice is forgotten, epoch milliseconds. */
export function expiresAt(disposition: Disposition, madeAt: number): number {
  return madeAt + (disposition === 'information' ? INFORMATION_LIFETIME_MS : ACTIONABLE_LIFETIME_MS)
}
