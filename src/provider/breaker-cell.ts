import type { Failure } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import type { HealthMark } from '../verdict/policy.ts'
import {
  afterFailure,
  afterSuccess,
  afterTurn,
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
import { type InLine, type Turn, turnOf } from './down-line.ts'
import { keys } from './keys.ts'
import { ProbeLease } from './probe-lease.ts'

/** The breaker of a provider, or of one of its models, as all processes see it. */
export class BreakerCell {
  readonly cell: Cell<BreakerState>
  readonly probeLease: ProbeLease
  readonly provider: string
  /** Undefined for the breaker of the whole provider. */
  readonly model: string | undefined
  readonly #rules: BreakerRules
  readonly #cells: CellMaker
  /** Successes not written yet, and the window slot they belong to. */
  #successes = 0
  #slot = 0
  #lastFailure: Failure | undefined
  /** Whether we closed it by hand, until that is written. */
  #isReset = false

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

  /** When a call that has nobody else to go to may go; now or earlier if it may at once. */
  turnOf(call: InLine, now: number): Turn {
    const current = this.at(now)
    if (current.state === 'closed') return { at: now, ownAt: now }
    return turnOf(current.line, now, call, this.#rules.consecutive)
  }

  /** Such a call goes. */
  takeTurn(now: number): void {
    const random = this.#cells.random()
    this.#change(present => {
      const current = breakerAt(present, now)
      return current.state === 'closed' ? present : afterTurn(current, this.#rules, now, random)
    })
  }

  /** Records the success of a call that began at `startedAt`. On a healthy provider this writes nothing and reads no clock. */
  succeeded(startedAt: number, probeId: string | undefined): void {
    if (probeId !== undefined) this.probeLease.ended(probeId)
    const state = this.cell.value
    if (state === undefined || (state.state === 'closed' && state.failures === 0)) this.#count(startedAt)
    else this.#recover(startedAt, probeId)
  }

  failed(
    failure: Failure,
    breaker: Exclude<HealthMark['breaker'], 'none'>,
    { startedAt, now }: { startedAt: number; now: number },
    probeId?: string,
  ): void {
    if (probeId !== undefined) this.probeLease.ended(probeId)
    this.#lastFailure = failure
    const [successes, slot] = [this.#successes, this.#slot]
    this.#successes = 0
    const random = this.#cells.random()
    this.#change(present => {
      const counted = withSuccesses(present, slot, this.#rules, successes)
      const ended = { startedAt, now, random, isProbe: holds(present, probeId) }
      return breaker === 'trip'
        ? tripped(counted, this.#rules, ended)
        : afterFailure(counted, this.#rules, ended, breaker === 'half' ? 0.5 : 1)
    })
  }

  /** The probe ended without a result. */
  released(probeId: string): void {
    this.probeLease.ended(probeId)
    this.#change(present => withoutProbe(present, probeId))
  }

  /** Closes the breaker by hand. */
  reset(): void {
    this.#isReset = true
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

  /** Separate from {@link succeeded}, because a closure there would cost every success. */
  #recover(startedAt: number, probeId: string | undefined): void {
    const ended = { startedAt, now: this.#cells.time.now(), random: 0 }
    this.#change(present =>
      afterSuccess(present, this.#rules, { ...ended, isProbe: holds(present, probeId) }),
    )
  }

  #count(startedAt: number): void {
    // A long call that began before calls that have already ended counts in their slot.
    const slot = Math.max(this.#slot, slotAt(startedAt, this.#rules))
    if (slot !== this.#slot && this.#successes > 0) this.#handIn()
    this.#slot = slot
    this.#successes++
  }

  /** Adds successes counted in memory to the breaker's window. Separate from {@link #count}, again to avoid a closure. */
  #handIn(): void {
    const [successes, slot] = [this.#successes, this.#slot]
    this.#successes = 0
    this.#change(present => withSuccesses(present, slot, this.#rules, successes))
  }

  #report(before: BreakerState | undefined, after: BreakerState | undefined): void {
    const to = after?.state ?? 'closed'
    if (to === (before?.state ?? 'closed')) return
    const of = { provider: this.provider, ...present({ model: this.model }) }
    if (after?.state === 'open') {
      const failure = this.#lastFailure
      this.#cells.emit({
        type: 'breaker.opened',
        ...of,
        until: after.until,
        ...present({ failure }),
      })
    } else if (to === 'half_open') this.#cells.emit({ type: 'breaker.half_open', ...of })
    else {
      const by = this.#isReset ? 'reset' : 'success'
      this.#isReset = false
      this.#cells.emit({ type: 'breaker.closed', ...of, by })
    }
  }
}

function holds(state: BreakerState, probeId: string | undefined): boolean {
  return probeId !== undefined && state.state === 'half_open' && state.probe?.id === probeId
}
