/** A part of a text that must not be shown: from `start` up to, not including, `end`. */
export interface Span {
  start: number
  end: number
}
