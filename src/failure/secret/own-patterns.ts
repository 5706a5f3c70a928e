import type { Span } from './span.ts'

/** A compiled pattern. Who has one compiles it: the compiler is large, and everything that is printed passes here. */
export interface HidingPattern {
  matcher(text: string): { find(): boolean; start(): number; end(): number }
}

let patterns: readonly HidingPattern[] = []
const listeners = new Set<() => void>()

/** Hides whatever these patterns (RE2, linear in the text) match, from now on, in place of the patterns before. */
export function hideMatches(hiding: readonly HidingPattern[]): void {
  patterns = hiding
  for (const listener of listeners) listener()
}

/** Calls the listener when other patterns are in force. */
export function onNewPatterns(listener: () => void): void {
  listeners.add(listener)
}

/** Finds what the patterns in force match. */
export function ownPatternsIn(text: string, spans: Span[]): void {
  for (const pattern of patterns) {
    const match = pattern.matcher(text)
    while (match.find()) spans.push({ start: match.start(), end: match.end() })
  }
}
