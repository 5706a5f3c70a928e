import type { Failure } from '../failure/failure.ts'
import type { HealthMark } from '../verdict/policy.ts'
import {
  afterFailure,
  afterSuccess,
  type BreakerRules,
  type BreakerState,
  breakerAt,
  CLOSED,
  slotAt,
  tripped,
  withoutProbe,
  withSuccesses,
} from './breaker.ts'
import type { Cell } from './cell.ts'
import type { CellMaker } from './cell-maker.ts'
import { keys } from './keys.ts'
import { ProbeLease } from './probe-lease.ts'
import { type Refusal, refusedByBreaker, refusedByProbe } from './refusal.ts'

/** The breaker of a provider, or of one model of it, as all processes see it. */
export class BreakerCell {
  readonly cell: Cell<BreakerState>
  readonly probeLease: ProbeLease
  readonly provider: string
  /** Undefined for that of the whole provider. */
  readonly model: string | undefined
  readonly #rules: BreakerRules
  readonly #cells: CellMaker
  /** Successes that no write has counted yet, and the part of the window they belong to. */
  #successes = 0
  #slot = 0
  #lastFailure: Failure | undefined

  constructor(provider: string, model: string | undefined, rules: BreakerRules, cells: CellMaker) {
    this.provider = provider
    this.model = model
    this.#rules = rules
    this.#cells = cells
    this.cell = cells.make(keys.breaker(provider, model), (before, after) => this.#report(before, after))
    this.probeLease = new ProbeLease(this.cell, cells)
  }

  at(now: number): BreakerState {
    return breakerAt(this.cell.value ?? CLOSED, now)
  }

  /** Why it lets no call through; the breaker itself if it lets through only the one call that holds its probe. */
  refusal(now: number): Refusal | BreakerCell | undefined {
    const state = this.cell.value
    if (state === undefined || state.state === 'closed') return undefined
    const current = breakerAt(state, now)
    if (current.state === 'open') {
      // The clock was set back: all processes must see the new times, or they would move with every look.
      if (current !== state)
        this.cell.update(present => (present?.state === 'open' ? breakerAt(present, now) : present))
      return refusedByBreaker(this.provider, this.model, current.until, now)
    }
    if (current.state === 'closed') return undefined
    return this.probeLease.isFree(current) ? this : refusedByProbe(this.provider, now)
  }

  /** A call succeeded that began then. One on a healthy provider writes nothing and asks no clock. */
  succeeded(startedAt: number, probeId: string | undefined): void {
    if (probeId !== undefined) this.probeLease.ended(probeId)
    const state = this.cell.value
    if (state === undefined || (state.state === 'closed' && state.failures === 0)) this.#count(startedAt)
    else if (state.state === 'closed' || probeId !== undefined) this.#recover(probeId)
  }

  failed(
    failure: Failure,
    breaker: Exclude<HealthMark['breaker'], 'none'>,
    now: number,
    probeId?: string,
  ): void {
    if (probeId !== undefined) this.probeLease.ended(probeId)
    this.#lastFailure = failure
    const [successes, slot] = [this.#successes, this.#slot]
    this.#successes = 0
    this.#change(present => {
      const counted = withSuccesses(present, slot, this.#rules, successes)
      const isProbe = holds(present, probeId)
      return breaker === 'trip'
        ? tripped(counted, now, this.#rules, isProbe)
        : afterFailure(counted, now, this.#rules, breaker === 'half' ? 0.5 : 1, isProbe)
    })
  }

  /** The probe ended without a result. */
  released(probeId: string): void {
    this.probeLease.ended(probeId)
    this.#change(present => withoutProbe(present, probeId))
  }

  /** Closes it by hand. */
  reset(): void {
    this.cell.update(present => present && undefined)
    this.#successes = 0
  }

  #change(change: (state: BreakerState) => BreakerState): void {
    this.cell.update(present => {
      const before = present ?? CLOSED
      const after = change(before)
      return after === before ? present : after
    })
  }

  /** Apart from {@link succeeded}, because a closure in there would be paid for by every success. */
  #recover(probeId: string | undefined): void {
    const now = this.#cells.time.now()
    this.#change(present => afterSuccess(present, now, this.#rules, holds(present, probeId)))
  }

  #count(startedAt: number): void {
    // A long call that began before others that have ended counts with them.
    const slot = Math.max(this.#slot, slotAt(startedAt, this.#rules))
    if (slot !== this.#slot && this.#successes > 0) this.#handIn()
    this.#slot = slot
    this.#successes++
  }

  /** Counts in the breaker's window what was counted beside it; apart from {@link #count} for the same reason. */
  #handIn(): void {
    const [successes, slot] = [this.#successes, this.#slot]
    this.#successes = 0
    this.#change(present => withSuccesses(present, slot, this.#rules, successes))
  }

  #report(before: BreakerState | undefined, after: BreakerState | undefined): void {
    const to = after?.state ?? 'closed'
    if (to === (before?.state ?? 'closed')) return
    const of = { provider: this.provider, ...(this.model === undefined ? {} : { model: this.model }) }
    if (after?.state === 'open') {
      const failure = this.#lastFailure
      this.#cells.emit({
        type: 'breaker.opened',
        ...of,
        until: after.until,
        ...(failure === undefined ? {} : { failure }),
      })
    } else this.#cells.emit({ type: to === 'closed' ? 'breaker.closed' : 'breaker.half_open', ...of })
  }
}

function holds(state: BreakerState, probeId: string | undefined): boolean {
  return probeId !== undefined && state.state === 'half_open' && state.probe?.id === probeId
}
