import type { Cron } from 'croner'
import { wallTimeAt } from '../failure/times/zone.ts'

const DAY_MS = 86_400_000
/** More than any clock change shifts a clock. */
const NEAR_MS = 25 * 3_600_000

/**
 * The times of an expression that names hours, in a zone whose clocks change. Each time of day comes once a day: one that
 * occurs twice comes the first time; one that is skipped comes at the moment of the jump, together with any others skipped
 * by it.
 */
export class LocalCron {
  readonly #cron: Cron
  readonly #zone: string

  /** @param cron the expression, read as if local clocks showed UTC */
  constructor(cron: Cron, zone: string) {
    this.#cron = cron
    this.#zone = zone
  }

  after(at: number): number | undefined {
    for (let wall = this.#next(this.#search(at, -1)); wall !== undefined; wall = this.#next(wall)) {
      const time = this.#instantOf(wall)
      if (time > at) return time
    }
    return undefined
  }

  upTo(at: number): number | undefined {
    for (let wall = this.#last(this.#search(at, 1)); wall !== undefined; wall = this.#last(wall)) {
      const time = this.#instantOf(wall)
      if (time <= at) return time
    }
    return undefined
  }

  /** Where to start searching: at the local time, moved far enough away if the clock changes nearby. */
  #search(at: number, direction: 1 | -1): number {
    const offset = this.#offset(at)
    const isNear = this.#offset(at - NEAR_MS) !== offset || this.#offset(at + NEAR_MS) !== offset
    return at + offset + (isNear ? direction * NEAR_MS : direction * 1_000)
  }

  #next(wall: number): number | undefined {
    return this.#cron.nextRun(new Date(wall))?.getTime()
  }

  #last(wall: number): number | undefined {
    return this.#cron.previousRuns(1, new Date(wall))[0]?.getTime()
  }

  /** The first instant at which clocks show this time; if they skip it, the moment of the jump. */
  #instantOf(wall: number): number {
    const before = wall - this.#offset(wall - DAY_MS)
    const after = wall - this.#offset(wall + DAY_MS)
    const shown = [before, after].filter(time => this.#wall(time) === wall)
    return shown.length > 0
      ? Math.min(...shown)
      : this.#jumpOver(wall, Math.min(before, after), Math.max(before, after))
  }

  /** The first second at which clocks show more than `wall`; at `from` they show less. */
  #jumpOver(wall: number, from: number, to: number): number {
    let [low, high] = [from, to]
    while (high - low > 1_000) {
      const middle = low + Math.floor((high - low) / 2_000) * 1_000
      if (this.#wall(middle) > wall) high = middle
      else low = middle
    }
    return high
  }

  #wall(at: number): number {
    return at + this.#offset(at)
  }

  /** The zone's offset from UTC, in milliseconds. */
  #offset(at: number): number {
    const second = Math.floor(at / 1_000) * 1_000
    const { year, month, day, hour, minute, second: seconds } = wallTimeAt(second, this.#zone)
    return Date.UTC(year, month - 1, day, hour, minute, seconds) - second
  }
}
