import { assignedIn } from './secret/assigned.ts'
import { placesIn } from './secret/places.ts'
import { merged, type Span } from './secret/span.ts'
import { tokensIn } from './secret/tokens.ts'

/** What stands in the place of a secret. */
export const REDACTED = '***REDACTED***'

/** How much is looked at on both sides of what is cut out of a text: a secret on the cut goes as a whole. */
const MARGIN = 8_192
/** A marker may stand where the name of another value ends; each round leaves less to find. */
const MOST_ROUNDS = 4

/**
 * Replaces secrets in a text: keys by how they begin, values by the name before them, credentials by the place
 * they stand in. Words around a secret stay: they decide the class. Linear in the text.
 */
export function redact(text: string): string {
  let clean = text
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const spans = secretsIn(clean)
    const before = clean
    if (spans.length > 0) clean = withoutSpans(clean, spans, 0, clean.length)
    if (clean === before) break
  }
  return clean
}

/** A part of a text, redacted: a secret that stands on one of its ends does not leave half of itself behind. */
export function redactPart(text: string, from: number, to: number): string {
  const base = Math.max(0, from - MARGIN)
  const around = text.slice(base, to + MARGIN)
  return redact(withoutSpans(around, secretsIn(around), from - base, Math.min(to, text.length) - base))
}

/** True if redacting would change nothing: what is stored or shown has to pass. */
export function isRedacted(text: string): boolean {
  return redact(text) === text
}

function secretsIn(text: string): Span[] {
  const spans: Span[] = []
  placesIn(text, spans)
  tokensIn(text, spans)
  assignedIn(text, spans)
  return merged(spans)
}

function withoutSpans(text: string, spans: readonly Span[], from: number, to: number): string {
  let clean = ''
  let at = from
  for (const { start, end } of spans) {
    if (end <= from) continue
    if (start >= to) break
    clean += text.slice(at, Math.max(at, start)) + REDACTED
    at = end
  }
  return at < to ? clean + text.slice(at, to) : clean
}
