/** Steps per doubling: a value read back differs from the true one by less than a tenth. */
const STEPS_PER_DOUBLING = 4

/** How lengths of time are spread, in a few dozen counts however many there are. */
export class Spread {
  readonly #counts = new Map<number, number>()
  #total = 0

  add(ms: number): void {
    this.#count(ms < 1 ? 0 : 1 + Math.floor(Math.log2(ms) * STEPS_PER_DOUBLING), 1)
  }

  merge(other: Spread): void {
    for (const [step, count] of other.#counts) this.#count(step, count)
  }

  /** The length that this share of all is not above, in milliseconds; undefined if there are none. */
  quantile(share: number): number | undefined {
    let left = share * this.#total
    for (const [step, count] of [...this.#counts].sort(([a], [b]) => a - b)) {
      left -= count
      if (left <= 0) return step === 0 ? 0 : Math.round(2 ** ((step - 0.5) / STEPS_PER_DOUBLING))
    }
    return undefined
  }

  #count(step: number, count: number): void {
    this.#counts.set(step, (this.#counts.get(step) ?? 0) + count)
    this.#total += count
  }
}
