import { assignedIn } from './secret/assigned.ts'
import { placesIn } from './secret/places.ts'
import { merged, type Span } from './secret/span.ts'
import { tokensIn } from './secret/tokens.ts'

/** What stands in the place of a secret. */
export const REDACTED = '***REDACTED***'

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

/** A text of which parts are shown: a secret that stands on a cut does not leave half of itself behind. */
export class Redacted {
  readonly #text: string
  readonly #spans: Span[]

  constructor(text: string) {
    this.#text = text
    this.#spans = secretsIn(text)
  }

  part(from: number, to: number): string {
    if (this.#spans.length === 0) return this.#text.slice(from, to)
    return redact(withoutSpans(this.#text, this.#spans, from, Math.min(to, this.#text.length)))
  }
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
