import type { Time } from '../time/time.ts'
import { type BreakerState, CLOSED, type ProbeInFlight, withProbe, withRenewedProbe } from './breaker.ts'
import type { Cell } from './cell.ts'
import type { CellMaker } from './cell-maker.ts'

/** A probe that is not renewed for this long belongs to a dead process, in milliseconds. */
export const PROBE_LEASE_MS = 60_000

/**
 * The lease of a half-open breaker's one probe, among all processes. Its holder renews it. Others take it over only if it has
 * expired by the wall clock and has not changed for its length on their own monotonic clock, so a jump of the wall clock never
 * lets out two probes.
 */
export class ProbeLease {
  readonly #breaker: Cell<BreakerState>
  readonly #time: Time
  readonly #isShared: boolean
  /** Our own probes in flight. */
  readonly #own = new Map<string, () => void>()
  #cancelWatch: (() => void) | undefined
  /** A probe of another process, and when we first saw it in this state. */
  #seen: { token: string; at: number } | undefined

  constructor(breaker: Cell<BreakerState>, { time, isShared }: CellMaker) {
    this.#breaker = breaker
    this.#time = time
    this.#isShared = isShared
  }

  isFree(state: Extract<BreakerState, { state: 'half_open' }>): boolean {
    return !state.probe || this.#isAbandoned(state.probe)
  }

  /** Takes the lease; false if another process has it. */
  async take(id: string): Promise<boolean> {
    const after = await this.#breaker.commit(present => {
      const now = this.#time.now()
      const before = present ?? CLOSED
      const state = withProbe(before, now, this.#renewed(id), probe => this.#isAbandoned(probe))
      return state === before ? present : state
    })
    if (after?.state !== 'half_open' || after.probe?.id !== id) return false
    this.#hold(id)
    return true
  }

  /** Our probe has ended. */
  ended(id: string): void {
    this.#own.get(id)?.()
    this.#own.delete(id)
  }

  /** Stops renewing: for other processes, this one's probes are dead from now on. */
  dispose(): void {
    for (const cancel of this.#own.values()) cancel()
    this.#cancelWatch?.()
  }

  /** Calls back once the process that holds the lease must be considered dead. */
  watch(wake: () => void): void {
    const state = this.#breaker.value
    if (this.#cancelWatch || state?.state !== 'half_open') return
    if (!state.probe || this.#own.has(state.probe.id)) return
    this.#isAbandoned(state.probe)
    this.#cancelWatch = this.#time.after(PROBE_LEASE_MS, () => {
      this.#cancelWatch = undefined
      wake()
    })
  }

  #hold(id: string): void {
    if (!this.#isShared) {
      this.#own.set(id, () => {})
      return
    }
    const renew = () => {
      this.#breaker.update(present => present && withRenewedProbe(present, this.#renewed(id)))
      this.#own.set(id, this.#time.after(PROBE_LEASE_MS / 3, renew))
    }
    this.#own.set(id, this.#time.after(PROBE_LEASE_MS / 3, renew))
  }

  #renewed(id: string): ProbeInFlight {
    return { id, until: this.#time.now() + PROBE_LEASE_MS }
  }

  #isAbandoned(probe: ProbeInFlight): boolean {
    if (this.#own.has(probe.id)) return false
    const token = `${probe.id} ${probe.until}`
    if (this.#seen?.token !== token) this.#seen = { token, at: this.#time.monotonic() }
    return this.#time.now() >= probe.until && this.#time.monotonic() - this.#seen.at >= PROBE_LEASE_MS
  }
}
