/**
 * All matches of a global pattern in a text. `matchAll` would first copy the pattern, which takes longer than most
 * searches. In return, a search with the same pattern must not begin while this one is running.
 */
export function* matchesOf(pattern: RegExp, text: string): Generator<RegExpExecArray, void> {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) yield match
}
