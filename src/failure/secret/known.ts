import { formsOf } from './forms.ts'
import type { Span } from './span.ts'

/** Shorter values would be found in ordinary words. */
const SHORTEST = 6
/** How many secrets to remember; the oldest is forgotten first. Keys change, and a daemon runs for long. */
const MOST = 1_024

/** Secrets this process was given, each with the forms it can take. */
const known = new Map<string, readonly string[]>()
const listeners = new Set<() => void>()

/**
 * Hides these values from now on, in every failure, record and answer of this process. For secrets that are passed to
 * programs: redaction by shape cannot recognise all of them.
 */
export function hideFromNowOn(secrets: Iterable<string>): void {
  for (const secret of secrets) {
    const value = secret.trim()
    if (value.length < SHORTEST || known.has(value)) continue
    known.set(
      value,
      [...new Set(formsOf(value))].sort((a, b) => b.length - a.length),
    )
    if (known.size > MOST) known.delete(known.keys().next().value as string)
    for (const listener of listeners) listener()
  }
}

/** Calls the listener when a value becomes a secret, or other patterns are in force. */
export function onNewSecret(listener: () => void): void {
  listeners.add(listener)
}

/** The values that are hidden. */
export function hiddenValues(): readonly string[] {
  return [...known.keys()]
}

/** Finds the known secrets in a text. */
export function knownIn(text: string, spans: Span[]): void {
  for (const forms of known.values())
    for (const form of forms)
      for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + form.length))
        spans.push({ start, end: start + form.length })
}

/** A compiled pattern. Who has one compiles it: the compiler is large, and everything that is printed passes here. */
export interface HidingPattern {
  matcher(text: string): { find(): boolean; start(): number; end(): number }
}

let patterns: readonly HidingPattern[] = []

/** Hides whatever these patterns (RE2, linear in the text) match, from now on, in place of the patterns before. */
export function hideMatches(hiding: readonly HidingPattern[]): void {
  patterns = hiding
  for (const listener of listeners) listener()
}

/** Finds what the patterns in force match. */
export function ownPatternsIn(text: string, spans: Span[]): void {
  for (const pattern of patterns) {
    const match = pattern.matcher(text)
    while (match.find()) spans.push({ start: match.start(), end: match.end() })
  }
}
