/** Timing that prints what it compares: medians of alternating rounds, so that drift hits both sides alike. */
export interface Measured {
  name: string
  /** Median, microseconds per call. */
  micros: number
}

const ROUNDS = 15

/** Times several functions in alternation; each call runs long enough to be measured. */
export function measure(
  subjects: Record<string, () => unknown>,
  { rounds = ROUNDS, minMs = 8 } = {},
): Measured[] {
  const entries = Object.entries(subjects)
  const repeats = entries.map(([, run]) => repeatsFor(run, minMs))
  const samples: number[][] = entries.map(() => [])
  for (let round = 0; round < rounds; round++) {
    entries.forEach(([, run], index) => {
      const count = repeats[index] as number
      const start = performance.now()
      for (let i = 0; i < count; i++) run()
      samples[index]?.push(((performance.now() - start) / count) * 1_000)
    })
  }
  return entries.map(([name], index) => ({ name, micros: median(samples[index] as number[]) }))
}

function repeatsFor(run: () => unknown, minMs: number): number {
  for (let i = 0; i < 3; i++) run()
  let count = 1
  for (;;) {
    const start = performance.now()
    for (let i = 0; i < count; i++) run()
    const took = performance.now() - start
    if (took >= minMs || count >= 1e6) return count
    count = Math.max(count + 1, Math.ceil((count * minMs * 1.2) / Math.max(took, 0.01)))
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] as number
}

/** A small generator with a seed, so that every run measures the same texts. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
