import { formsOf } from './forms.ts'
import type { Span } from './span.ts'

/** Shorter values would be found in words that are none. */
const SHORTEST = 6
/** So many are remembered; the oldest is forgotten first. Keys change, and a daemon lives long. */
const MOST = 1_024

/** Secrets that this process was given, by value, each with the forms that it may take. */
const known = new Map<string, readonly string[]>()
const listeners = new Set<() => void>()

/**
 * From now on these values are hidden in every failure, record and answer that this process makes, from any source that printed
 * them. For secrets that are given to programs: redaction by shape cannot know them all.
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

/** Told when something becomes a secret that was none before. */
export function onNewSecret(listener: () => void): void {
  listeners.add(listener)
}

/** The values that are hidden. */
export function hiddenValues(): readonly string[] {
  return [...known.keys()]
}

/** Where they stand in a text. */
export function knownIn(text: string, spans: Span[]): void {
  for (const forms of known.values())
    for (const form of forms)
      for (let start = text.indexOf(form); start >= 0; start = text.indexOf(form, start + form.length))
        spans.push({ start, end: start + form.length })
}
