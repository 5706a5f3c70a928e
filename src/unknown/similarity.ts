import { shapeOf } from '../failure/fingerprint/shape.ts'

/**
 * How similar two texts are, from 0 to 1: the share of words and pairs of adjacent words that they have in common,
 * ignoring ids, numbers and paths.
 */
export function similarityOf(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)]
  if (left.size === 0 || right.size === 0) return 0
  const common = [...left].filter(part => right.has(part)).length
  return (2 * common) / (left.size + right.size)
}

function partsOf(text: string): Set<string> {
  const words = shapeOf(text)
    .split(' ')
    .filter(word => word !== '' && word !== '#')
  return new Set([...words, ...words.slice(1).map((word, index) => `${words[index]} ${word}`)])
}

/** A value whose text is similar to the one searched for. */
export interface Near<T> {
  value: T
  /** From 0 to 1. */
  similarity: number
}

/** Similarity below this is coincidence. */
const LEAST_SIMILARITY = 0.3

/** The known values with the most similar texts, nearest first; at most `most`, default 3. */
export function nearestOf<T>(
  text: string,
  known: readonly { text: string; value: T }[],
  most = 3,
): readonly Near<T>[] {
  return known
    .map(({ text: other, value }) => ({ value, similarity: similarityOf(text, other) }))
    .filter(({ similarity }) => similarity >= LEAST_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity)
    .slice(0, most)
}
