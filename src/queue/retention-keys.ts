/** What is kept for how long; the names are those of `[queue] prune`. */
export const RETENTION_KEYS = ['succeeded', 'dead', 'events', 'workflows'] as const
/** One of them. */
export type RetentionKey = (typeof RETENTION_KEYS)[number]
