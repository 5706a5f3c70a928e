import { assignedIn, NAME_WORDS, type NameWord } from './secret/assigned.ts'
import { decoded } from './secret/encoded.ts'
import { knownIn, onNewSecret, ownPatternsIn } from './secret/known.ts'
import { Marks } from './secret/marks.ts'
import { PLACES, type Place } from './secret/places.ts'
import type { Span } from './secret/span.ts'
import { tokensIn } from './secret/tokens.ts'
import { oneLine } from './text/printable.ts'

/** Replaces a secret. */
export const REDACTED = '***REDACTED***'

/** Redaction can expose another secret, because a marker can end the name of another value. Each round finds fewer. */
const MOST_ROUNDS = 4

/**
 * Replaces the secrets in a text: keys recognised by their prefix, values by the name before them, credentials by where
 * they stand. The words around a secret stay, because they decide the class. Linear in the text.
 */
export function redact(text: string): string {
  return redactFrom(text, secretsIn(text))
}

/** Caches names known to hold no secret: up to this many, up to this length. */
const MOST_NAMES = 512
const LONGEST_NAME = 64
const harmless = new Set<string>()
onNewSecret(() => harmless.clear())

/** Redacts the texts of one failure. They repeat, so each is searched for secrets once. */
export class Redactor {
  readonly #known: { text: string; secrets: readonly Span[] }[] = []

  redact(text: string): string {
    return redactFrom(text, this.#secretsIn(text))
  }

  /** Redacts a name, a code or a path, and puts it on one line. Harmless ones are cached across failures. */
  name(text: string): string {
    if (harmless.has(text)) return text
    const shown = this.redact(oneLine(text))
    if (shown !== text || text.length > LONGEST_NAME) return shown
    if (harmless.size === MOST_NAMES) harmless.clear()
    harmless.add(text)
    return text
  }

  /** Redacts part of a text. A secret that crosses the cut is removed whole. */
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

/** Removes the secrets this process was given from a text, for answers. Everything else stays. */
export function hideKnown(text: string): string {
  const spans: Span[] = []
  knownIn(text, spans)
  return spans.length === 0 ? text : withoutSpans(text, merged(spans), 0, text.length)
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

/** True if redacting would change nothing. Everything stored or shown must pass this. */
export function isRedacted(text: string): boolean {
  return redact(text) === text
}

const NONE: readonly Span[] = []
/** The shortest text that can hold a secret: a name, a separator and two characters, or a URL with a user name. */
const SHORTEST = 5

function secretsIn(text: string): readonly Span[] {
  if (text.length < SHORTEST) return NONE
  const spans: Span[] = []
  formsIn(text, spans)
  knownIn(text, spans)
  ownPatternsIn(text, spans)
  const plain = decoded(text)
  if (plain) {
    const inside: Span[] = []
    formsIn(plain.text, inside)
    for (const { start, end } of inside)
      spans.push({ start: plain.from[start] as number, end: plain.from[end] as number })
  }
  return merged(spans)
}

const MARKS = new Marks([...NAME_WORDS, ...PLACES.map(place => place.mark)])

function formsIn(text: string, spans: Span[]): void {
  const names: NameWord[] = []
  const places: Place['find'][] = []
  for (const { word, at } of MARKS.in(text)) {
    const name = NAME_WORDS[word]
    const find = PLACES[word - NAME_WORDS.length]?.find
    if (name !== undefined) names.push({ at, length: name.length })
    else if (find && !places.includes(find)) places.push(find)
  }
  for (const find of places) find(text, spans)
  tokensIn(text, spans)
  if (names.length > 0)
    assignedIn(
      text,
      names.sort((a, b) => a.at - b.at || b.length - a.length),
      spans,
    )
}

/** Sorts spans, and merges those that touch or overlap. */
function merged(spans: Span[]): Span[] {
  if (spans.length < 2) return spans
  spans.sort((a, b) => a.start - b.start || a.end - b.end)
  const apart: Span[] = []
  for (const span of spans) {
    const last = apart.at(-1)
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end)
    else apart.push({ ...span })
  }
  return apart
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
