import type { Time } from '../time/time.ts'
import { type CallOptions, MIN_RETRY_BUDGET_DEFAULT_MS } from './options.ts'

/** What a call may spend, and has spent: time on a monotonic clock, and money as reported. */
export class Budget {
  readonly #time: Time
  /** When the call began, in monotonic milliseconds. */
  readonly startedAt: number
  readonly #totalMs: number
  readonly #minRetryMs: number | undefined
  readonly maxCostUsd: number
  /** Null until an amount is known, because unknown is not zero. */
  costUsd: number | null = null

  constructor(time: Time, { budgetMs = Infinity, maxCostUsd = Infinity, minRetryBudgetMs }: CallOptions) {
    this.#time = time
    this.startedAt = time.monotonic()
    this.#totalMs = budgetMs
    this.maxCostUsd = maxCostUsd
    this.#minRetryMs = minRetryBudgetMs
  }

  /** With less than this many milliseconds left, no other try begins. */
  get minRetryMs(): number {
    if (this.#minRetryMs !== undefined) return this.#minRetryMs
    return this.#totalMs === Infinity ? 0 : Math.min(MIN_RETRY_BUDGET_DEFAULT_MS, this.#totalMs / 10)
  }

  get elapsedMs(): number {
    return this.#time.monotonic() - this.startedAt
  }

  /** Never negative. */
  get remainingMs(): number {
    return this.remainingAfter(this.elapsedMs)
  }

  /** What was left after `elapsedMs`, so that one clock reading can serve several questions. */
  remainingAfter(elapsedMs: number): number {
    return Math.max(0, this.#totalMs - elapsedMs)
  }

  charge(usd: number): void {
    this.costUsd = (this.costUsd ?? 0) + usd
  }

  /** True if the cost limit is reached: nothing more may begin. */
  get isSpent(): boolean {
    return (this.costUsd ?? 0) >= this.maxCostUsd
  }

  /** True if more was spent than allowed. */
  get isOverspent(): boolean {
    return (this.costUsd ?? 0) > this.maxCostUsd
  }
}
