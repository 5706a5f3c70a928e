import type { Time } from '../time/time.ts'

/** Settings of a retry bucket. */
export interface RetryBucketOptions {
  /** Tokens in a full bucket. Default 100. */
  capacity?: number
  /** Tokens that one retry takes. Default 10. */
  cost?: number
  /** Tokens that a success gives back. Default 1. */
  refund?: number
  /** Tokens that refill per second, so a bucket never stays empty. Default 1. */
  perSecond?: number
}

/**
 * Stops retries when most calls fail, so they do not bury a provider in trouble. Each retry takes tokens, each success gives a
 * few back, and time refills the rest. Without the refill, a bucket would stay empty forever once nothing succeeds.
 */
export class RetryBucket {
  readonly #time: Time
  readonly #capacity: number
  readonly #cost: number
  readonly #refund: number
  readonly #perMs: number
  #tokens: number
  #filledAt: number

  constructor(time: Time, { capacity = 100, cost = 10, refund = 1, perSecond = 1 }: RetryBucketOptions = {}) {
    this.#time = time
    this.#capacity = capacity
    this.#cost = cost
    this.#refund = refund
    this.#perMs = perSecond / 1_000
    this.#tokens = capacity
    this.#filledAt = time.monotonic()
  }

  /** Takes the tokens of one retry. Returns false, and takes nothing, if there are too few. */
  take(): boolean {
    this.#fill()
    if (this.#tokens < this.#cost) return false
    this.#tokens -= this.#cost
    return true
  }

  /** A call succeeded. */
  refund(): void {
    if (this.#tokens < this.#capacity) this.#tokens = Math.min(this.#capacity, this.#tokens + this.#refund)
  }

  get tokens(): number {
    this.#fill()
    return this.#tokens
  }

  #fill(): void {
    const now = this.#time.monotonic()
    this.#tokens = Math.min(this.#capacity, this.#tokens + (now - this.#filledAt) * this.#perMs)
    this.#filledAt = now
  }
}
