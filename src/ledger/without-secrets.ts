// Not from the index, which would load the whole catalogue.
import { REDACTED, redact } from '../failure/redact.ts'

/** Deeper than any hand-written JSON, and far from a stack overflow. */
const DEEPEST = 64

/**
 * Redacts every text in a piece of JSON. Failures are already redacted; values from users' code may not be. Values that
 * are too deep to inspect are replaced.
 */
export function withoutSecrets<T>(value: T, depth = 0): T {
  if (typeof value === 'string') return redact(value) as T
  if (value === null || typeof value !== 'object') return value
  if (depth >= DEEPEST) return REDACTED as T
  if (Array.isArray(value)) return value.map(item => withoutSecrets(item as unknown, depth + 1)) as T
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutSecrets(inner as unknown, depth + 1)]),
  ) as T
}
