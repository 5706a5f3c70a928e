/** A part of a text that must not be shown: from `start` up to, not including, `end`. */
export interface Span {
  start: number
  end: number
}

/** Sorts spans, and merges those that touch or overlap. */
export function merged(spans: Span[]): Span[] {
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
