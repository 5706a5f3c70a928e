import { assignedIn } from './secret/assigned.ts'
import { knownIn, onNewSecret } from './secret/known.ts'
import { placesIn } from './secret/places.ts'
import { merged, type Span } from './secret/span.ts'
import { tokensIn } from './secret/tokens.ts'
import { prefilterOf } from './text/prefilter.ts'
import { oneLine } from './text/printable.ts'

/** What stands in the place of a secret. */
export const REDACTED = '***REDACTED***'

/** A marker may stand where the name of another value ends; each round leaves less to find. */
const MOST_ROUNDS = 4

/**
 * Replaces secrets in a text: keys by how they begin, values by the name before them, credentials by the place
 * they stand in. Words around a secret stay: they decide the class. Linear in the text.
 */
export function redact(text: string): string {
  return redactFrom(text, secretsIn(text))
}

/** Names that hold no secret, so many, none that is longer. */
const MOST_NAMES = 512
const LONGEST_NAME = 64
const harmless = new Set<string>()
onNewSecret(() => harmless.clear())

/** Redacts the texts of one failure, which are the same again and again: secrets are looked for once in each. */
export class Redactor {
  readonly #known: { text: string; secrets: readonly Span[] }[] = []

  redact(text: string): string {
    return redactFrom(text, this.#secretsIn(text))
  }

  /** A name, a code or a path, as one line. They come again and again: the harmless ones are remembered. */
  name(text: string): string {
    if (harmless.has(text)) return text
    const shown = this.redact(oneLine(text))
    if (shown !== text || text.length > LONGEST_NAME) return shown
    if (harmless.size === MOST_NAMES) harmless.clear()
    harmless.add(text)
    return text
  }

  /** A part of a text: a secret that stands on a cut does not leave half of itself behind. */
  part(text: string, from: number, to: number): string {
    const spans = this.#secretsIn(text)
    if (spans.length === 0) return text.slice(from, to)
    return redact(withoutSpans(text, spans, from, Math.min(to, text.length)))
  }

  #secretsIn(text: string): readonly Span[] {
    for (const known of this.#known) if (known.text === text) return known.secrets
    const secrets = secretsIn(text)
    this.#known.push({ text, secrets })
    return secrets
  }
}

function redactFrom(text: string, secrets: readonly Span[]): string {
  let clean = text
  let spans = secrets
  for (let round = 0; spans.length > 0 && round < MOST_ROUNDS; round++) {
    const before = clean
    clean = withoutSpans(clean, spans, 0, clean.length)
    if (clean === before) break
    spans = secretsIn(clean)
  }
  return clean
}

/** True if redacting would change nothing: what is stored or shown has to pass. */
export function isRedacted(text: string): boolean {
  return redact(text) === text
}

const NONE: readonly Span[] = []
/** A name, what assigns, and a value of two characters; or the shortest URL with a user name in it. */
const SHORTEST = 5

function secretsIn(text: string): readonly Span[] {
  if (text.length < SHORTEST) return NONE
  const spans: Span[] = []
  const prefilter = prefilterOf(text)
  placesIn(text, prefilter, spans)
  tokensIn(text, spans)
  assignedIn(text, prefilter, spans)
  knownIn(text, spans)
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
