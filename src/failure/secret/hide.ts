import { REDACTED } from '../redact.ts'
import { knownIn } from './known.ts'
import { merged, type Span } from './span.ts'

/** Removes the secrets this process was given from a text, for answers. Everything else stays. */
export function hideKnown(text: string): string {
  const spans: Span[] = []
  knownIn(text, spans)
  if (spans.length === 0) return text
  let hidden = ''
  let at = 0
  for (const { start, end } of merged(spans)) {
    hidden += text.slice(at, start) + REDACTED
    at = end
  }
  return hidden + text.slice(at)
}

/** Like {@link hideKnown}, for all strings in JSON data. */
export function hideKnownIn<T>(value: T): T {
  if (typeof value === 'string') return hideKnown(value) as T
  if (Array.isArray(value)) return value.map(inner => hideKnownIn(inner)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [hideKnown(name), hideKnownIn(inner)]),
  ) as T
}
