/** Up to one refusal in so many calls, refusals are scattered: they say nothing about the next call. */
const ONE_IN = 8
/** The same where the refusal says how soon to come back. */
const ONE_IN_STATED = 4
/** With so many calls out, refusals come before the first answers; then a limit refuses more than half. */
const MANY_OUT = 8
/** Of so many calls it shows whether a limit refuses them: it refuses most, and serves nobody for a while. */
const SHOWN_BY = 8
/** Up to this share of refusals, with others served all the time, nobody is helped by asking more slowly. */
const MOST_BY_CHANCE = 0.65
/** So many refusals in a row are nothing, where half of the calls are refused. */
const LONGEST_RUN = 2
/** How many calls are remembered. */
const REMEMBERED = 64

/**
 * What became of the last calls of one model, in this process. Some providers refuse a few of many calls without a word about a
 * limit; whoever else asks then is served, and must not wait.
 */
export class Traffic {
  /** Calls whose answer has not begun. */
  #out = 0
  #served = 0
  #refused = 0
  /** Refusals since an answer began. */
  #inARow = 0

  began(): void {
    this.#out++
  }

  /** Its answer has begun. */
  served(): void {
    this.#out--
    this.#served++
    this.#inARow = 0
    this.#forget()
  }

  /** It was refused. */
  refused(): void {
    this.#refused++
    this.#inARow++
    this.#forget()
  }

  /** It ended without an answer. */
  ended(): void {
    this.#out--
  }

  /**
   * Whether only some calls are refused, the last one among them. What is out counts as not refused until it is: those calls
   * are sent, and whoever was refused waits before it asks again.
   */
  get isScattered(): boolean {
    const all = this.#refused + this.#served + this.#out
    if (this.#isAtMostOneIn(ONE_IN)) return true
    return this.#out >= MANY_OUT && this.#refused * 2 <= all && this.#inARow <= this.#out
  }

  /** Whether so few are refused that a short wait which the provider states is for the refused call alone. */
  get isAlone(): boolean {
    return this.#isAtMostOneIn(ONE_IN_STATED)
  }

  #isAtMostOneIn(calls: number): boolean {
    const all = this.#refused + this.#served + this.#out
    return this.#refused * calls <= all && (this.#inARow - 1) * calls <= this.#out
  }

  /** Whether many are refused, but others are served all the time: a limit that nobody met before would serve nobody for a while. */
  get isByChance(): boolean {
    const all = this.#refused + this.#served + this.#out
    if (this.#served === 0 || all < SHOWN_BY) return false
    return this.#refused <= MOST_BY_CHANCE * all && this.#inARow <= Math.max(this.#out, LONGEST_RUN)
  }

  #forget(): void {
    if (this.#served + this.#refused < REMEMBERED) return
    this.#served /= 2
    this.#refused /= 2
  }
}
