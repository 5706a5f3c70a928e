/** What stands in one place of a phrase. */
export interface Element {
  /** Numbers of the words that may stand here. */
  words: readonly number[]
  /** Other words allowed before this one: 0 none, n within the sentence, -n across sentences as well. */
  gap: number
  /** True if it may be missing; never for the first or last element, nor after a gap. */
  optional: boolean
}

/** Gaps of phrases: words within the sentence, words across sentences. */
export const NEAR = 10
export const FAR = -40

/** What may stand before an element: nothing else, a gap, a gap that goes over sentences. */
export const GAPS: readonly number[] = [0, NEAR, FAR]
