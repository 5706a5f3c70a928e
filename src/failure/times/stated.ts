/** A stated wait: a duration from now, or a point in time. */
export type Stated = { ms: number } | { at: number }

/** Interprets a bare number in a reset field by its size: epoch ms, epoch s, or seconds from now. */
export function readResetNumber(value: number): Stated | undefined {
  if (!Number.isFinite(value) || value < 0) return undefined
  if (value > 1e11) return { at: value }
  if (value > 1e9) return { at: value * 1_000 }
  return value < 1e7 ? { ms: value * 1_000 } : undefined
}
