/** One position in a phrase. */
export interface Element {
  /** Numbers of the words allowed here. */
  words: readonly number[]
  /** How many other words may come before: 0 none, n within the sentence, -n also across sentences. */
  gap: number
  /** True if the element may be missing. Never for the first or last element, nor after a gap. */
  optional: boolean
}

/** Gap sizes: within a sentence, and across sentences. */
export const NEAR = 10
export const FAR = -40

/** What may precede an element: nothing else, a gap, a gap that crosses sentences. */
export const GAPS: readonly number[] = [0, NEAR, FAR]
