import { windowAt } from './cap-window.ts'
import type { Cap } from './settings.ts'
import type { Span } from './span.ts'
import type { Spend } from './store.ts'
import { isWorse, levelOf, type WindowUse, windowName } from './window-use.ts'

/** Spending is summed per minute: fine enough for windows, coarse enough to keep for weeks. */
export const BUCKET_MS = 60_000

/** Longer than any hour, day and month, clock changes included. */
const LONGEST = { hour: 2 * 3_600_000, day: 26 * 3_600_000, month: 32 * 86_400_000 }

export interface Amounts {
  usd: number
  tokens: number
  requests: number
}

/** A cap in one unit, with the sum of its current window. */
interface Counter {
  per: Cap['per']
  zone: string
  unit: keyof Amounts
  limit: number
  span: Span
  /** For a rolling window: the minute for which the sum is valid. */
  minute: number
  sum: number
  /** The level last reported. */
  reported: WindowUse['level']
}

const NOTHING: readonly WindowUse[] = []

/**
 * Sums what a scope used, minute by minute, and computes how much of each window that is. All windows use the same sums, so they
 * never disagree. A minute counts while any part of it lies within a window, so no window ever shows less than was charged.
 */
export class Meter {
  readonly scope: string
  readonly #counters: Counter[]
  /** What is known to be written (or never will be, without a store). */
  #kept = new Map<number, Amounts>()
  /** Ours, not written yet. */
  #fresh = new Map<number, Amounts>()
  /** Ours, being written. */
  #leaving = new Map<number, Amounts>()

  readonly #isShared: boolean

  /** @param isShared whether additions must be written to a store */
  constructor(scope: string, caps: readonly { cap: Cap; zone: string }[], isShared: boolean) {
    this.scope = scope
    this.#isShared = isShared
    this.#counters = caps.flatMap(({ cap, zone }) =>
      (['usd', 'tokens', 'requests'] as const).flatMap(unit => {
        const limit = cap[unit]
        const unread = { span: { from: 0, until: 0 }, minute: -1, sum: 0, reported: 'within' as const }
        return limit === undefined ? [] : [{ per: cap.per, zone, unit, limit, ...unread }]
      }),
    )
  }

  get isCapped(): boolean {
    return this.#counters.length > 0
  }

  add(now: number, usd: number, tokens: number, requests: number): void {
    // Otherwise it would never be read.
    if (!this.#isShared && !this.isCapped) return
    const buckets = this.#isShared ? this.#fresh : this.#kept
    const at = minuteOf(now)
    const bucket = buckets.get(at)
    if (bucket) {
      bucket.usd += usd
      bucket.tokens += tokens
      bucket.requests += requests
    } else {
      buckets.set(at, { usd, tokens, requests })
      this.#forget(now)
    }
    for (const counter of this.#counters) {
      if (!isCurrent(counter, now)) continue
      counter.sum += counter.unit === 'usd' ? usd : counter.unit === 'tokens' ? tokens : requests
    }
  }

  /** How much of every window is used now. */
  windows(now: number): WindowUse[] {
    return this.#counters.map(counter => this.#use(counter, now))
  }

  /** Windows that became nearly or fully used since this was last called. */
  worsened(now: number): readonly WindowUse[] {
    let worsened: WindowUse[] | undefined
    for (const counter of this.#counters) {
      this.#read(counter, now)
      const level = levelOf(counter.sum, counter.limit)
      if (level === counter.reported) continue
      if (isWorse(level, counter.reported)) {
        worsened ??= []
        worsened.push(this.#use(counter, now))
      }
      counter.reported = level
    }
    return worsened ?? NOTHING
  }

  /** Whether every window has room; cheaper than {@link windows}. */
  admits(now: number): boolean {
    for (const counter of this.#counters) {
      this.#read(counter, now)
      if (levelOf(counter.sum, counter.limit) === 'exhausted') return false
    }
    return true
  }

  /** When the current windows end, for a limit that fills them without stating a time. Undefined without windows. */
  fullUntil(now: number): number | undefined {
    const ends = this.#counters.map(({ per, zone }) =>
      typeof per === 'number' ? now + per : windowAt(per, now, zone).until,
    )
    return ends.length > 0 ? Math.max(...ends) : undefined
  }

  /** The earliest time that its windows can still need. */
  since(now: number): number {
    const lengths = this.#counters.map(({ per }) =>
      typeof per === 'number' ? per + BUCKET_MS : LONGEST[per],
    )
    return now - Math.max(0, ...lengths)
  }

  /** Takes what is to be written. {@link written} or {@link notWritten} must follow. */
  leaving(): Spend[] {
    for (const [at, amounts] of this.#fresh) merge(this.#leaving, at, amounts)
    this.#fresh = new Map()
    return [...this.#leaving].map(([at, amounts]) => ({ scope: this.scope, at, ...amounts }))
  }

  written(): void {
    for (const [at, amounts] of this.#leaving) merge(this.#kept, at, amounts)
    this.#leaving = new Map()
  }

  /** Keeps what could not be written for the next batch. */
  notWritten(): void {
    for (const [at, amounts] of this.#leaving) merge(this.#fresh, at, amounts)
    this.#leaving = new Map()
  }

  /** Replaces the written sums by the store's, which include other processes'. */
  load(spends: readonly Spend[]): void {
    this.#kept = new Map()
    for (const { at, usd, tokens, requests } of spends) merge(this.#kept, at, { usd, tokens, requests })
    for (const counter of this.#counters) counter.minute = -1
  }

  #forget(now: number): void {
    const since = this.since(now)
    for (const at of this.#kept.keys()) if (at + BUCKET_MS <= since) this.#kept.delete(at)
  }

  #use(counter: Counter, now: number): WindowUse {
    this.#read(counter, now)
    const { per, unit, sum: used, limit } = counter
    const level = levelOf(used, limit)
    const use: WindowUse = { window: windowName(per), unit, used, limit, level, source: 'counted' }
    const until = typeof per === 'number' ? this.#rollsAt(counter, now) : counter.span.until
    return until === undefined ? use : { ...use, until }
  }

  #read(counter: Counter, now: number): void {
    if (isCurrent(counter, now)) return
    counter.span = windowAt(counter.per, now, counter.zone)
    counter.minute = minuteOf(now)
    counter.sum = 0
    for (const [at, amounts] of this.#buckets()) {
      if (isWithin(at, counter)) counter.sum += amounts[counter.unit]
    }
  }

  /** When enough of a full rolling window will have expired. */
  #rollsAt({ per, unit, sum, limit, span }: Counter, now: number): number | undefined {
    let left = sum
    const within = [...this.#buckets()].filter(([at]) => at + BUCKET_MS > span.from)
    for (const [at, amounts] of within.sort(([a], [b]) => a - b)) {
      if (levelOf(left, limit) !== 'exhausted') break
      left -= amounts[unit]
      if (levelOf(left, limit) !== 'exhausted') return Math.max(now + 1, at + BUCKET_MS + (per as number))
    }
    return undefined
  }

  *#buckets(): Iterable<[number, Amounts]> {
    yield* this.#kept
    yield* this.#leaving
    yield* this.#fresh
  }
}

export function minuteOf(now: number): number {
  return Math.floor(now / BUCKET_MS) * BUCKET_MS
}

/** A tumbling window's sum is valid until it ends, a rolling one's for a minute; setting the clock back ends both. */
function isCurrent({ per, span, minute }: Counter, now: number): boolean {
  if (minute < 0) return false
  return typeof per === 'number' ? minuteOf(now) === minute : now >= span.from && now < span.until
}

function isWithin(at: number, { per, span }: Counter): boolean {
  return typeof per === 'number' ? at + BUCKET_MS > span.from : at >= span.from && at < span.until
}

function merge(buckets: Map<number, Amounts>, at: number, { usd, tokens, requests }: Amounts): void {
  const bucket = buckets.get(at)
  if (bucket) {
    bucket.usd += usd
    bucket.tokens += tokens
    bucket.requests += requests
  } else buckets.set(at, { usd, tokens, requests })
}
