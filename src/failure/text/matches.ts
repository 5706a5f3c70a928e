/**
 * All matches of a global pattern in a text. `matchAll` would first make a copy of the pattern, which takes longer
 * than most searches; so no search with the same pattern may begin while this one goes on.
 */
export function* matchesOf(pattern: RegExp, text: string): Generator<RegExpExecArray, void> {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) yield match
}
