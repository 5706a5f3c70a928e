/** How long an operation may be due without a runner before it is parked, in milliseconds: 1 h. */
export const PARK_AFTER_DEFAULT_MS = 3_600_000
/** How long an operation may stay parked before it expires, in milliseconds: 30 days. */
export const EXPIRE_AFTER_DEFAULT_MS = 30 * 86_400_000
