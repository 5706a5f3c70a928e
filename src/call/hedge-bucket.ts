/** How many hedges the bucket holds at most: how many may come at once. */
const MOST = 2
/** What a call adds: so at most one call in twenty is asked twice. */
const PER_CALL = 0.05

/**
 * Bounds the requests that hedging adds. Each call that succeeds adds a little, each hedge and each failed call takes one: where
 * everything is slow or fails, hedging stops by itself instead of doubling the load.
 */
export class HedgeBucket {
  #tokens = 1

  /** Takes a hedge; false if there is none. */
  take(): boolean {
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  settled(isFine: boolean): void {
    this.#tokens = isFine ? Math.min(MOST, this.#tokens + PER_CALL) : Math.max(0, this.#tokens - 1)
  }
}

/** How many answers are remembered of a provider, and how many are needed to know what is slow. */
const KEPT = 100
const FEW = 20

/** How long the last answers of a provider took. */
export class Latencies {
  readonly #last: number[] = []
  #next = 0

  note(ms: number): void {
    this.#last[this.#next] = ms
    this.#next = (this.#next + 1) % KEPT
  }

  /** What 95 of 100 answers took at most, in milliseconds; undefined as long as too few are known. */
  get p95(): number | undefined {
    if (this.#last.length < FEW) return undefined
    const sorted = [...this.#last].sort((a, b) => a - b)
    return sorted[Math.ceil(sorted.length * 0.95) - 1]
  }
}
