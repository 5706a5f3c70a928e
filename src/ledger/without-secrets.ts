// Not from the index, which would load the whole catalogue of failures.
import { REDACTED, redact } from '../failure/redact.ts'

/** Deeper than any JSON written by hand, and far from a stack overflow. */
const DEEPEST = 64

/**
 * Redacts every text in a piece of JSON. Failures come redacted; what people's own code makes may not. What lies too
 * deep to be looked into is left out.
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
