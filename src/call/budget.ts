import type { Time } from '../time/index.ts'

/** What a call may spend, and has spent: time on a clock that cannot jump, money as it is told. */
export class Budget {
  readonly #time: Time
  readonly #startedAt: number
  readonly #totalMs: number
  readonly maxCostUsd: number
  readonly minRetryMs: number
  /** Null until somebody names an amount: unknown is not nothing. */
  costUsd: number | null = null

  constructor(
    time: Time,
    settings: {
      budgetMs: number
      maxCostUsd: number
      minRetryBudgetMs: number | undefined
      minRetryDefaultMs: number
    },
  ) {
    this.#time = time
    this.#startedAt = time.monotonic()
    this.#totalMs = settings.budgetMs
    this.maxCostUsd = settings.maxCostUsd
    this.minRetryMs =
      settings.minRetryBudgetMs ??
      (settings.budgetMs === Infinity ? 0 : Math.min(settings.minRetryDefaultMs, settings.budgetMs / 10))
  }

  get elapsedMs(): number {
    return this.#time.monotonic() - this.#startedAt
  }

  /** Never negative. */
  get remainingMs(): number {
    return this.remainingAfter(this.elapsedMs)
  }

  /** What remained when so much had elapsed: one reading of the clock serves several questions. */
  remainingAfter(elapsedMs: number): number {
    return Math.max(0, this.#totalMs - elapsedMs)
  }

  charge(usd: number): void {
    this.costUsd = (this.costUsd ?? 0) + usd
  }

  /** Nothing may be begun any more. */
  get isSpent(): boolean {
    return (this.costUsd ?? 0) >= this.maxCostUsd
  }

  /** More was spent than allowed. */
  get isOverspent(): boolean {
    return (this.costUsd ?? 0) > this.maxCostUsd
  }
}
