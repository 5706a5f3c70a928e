import { type BreakerState, CLOSED, type ProbeInFlight, withProbe, withRenewedProbe } from './breaker.ts'
import type { Cell } from './cell.ts'
import type { Surroundings } from './surroundings.ts'

/** A probe that is not renewed for so long is that of a process that died. */
export const PROBE_LEASE_MS = 60_000

/**
 * The right to the one probe of a half-open breaker, among all processes. Its holder renews it. Others take it over
 * only when it ran out by the wall clock and did not change for its length on their own steady clock, so that a
 * jump of the wall clock never lets two probes out.
 */
export class ProbeRight {
  readonly #breaker: Cell<BreakerState>
  readonly #surroundings: Surroundings
  /** Ours in flight. */
  readonly #own = new Map<string, () => void>()
  #cancelWatch: (() => void) | undefined
  /** A probe of somebody else, and when we first saw it like this. */
  #seen: { token: string; at: number } | undefined

  constructor(breaker: Cell<BreakerState>, surroundings: Surroundings) {
    this.#breaker = breaker
    this.#surroundings = surroundings
  }

  isFree(state: Extract<BreakerState, { state: 'half_open' }>): boolean {
    return !state.probe || this.#isAbandoned(state.probe)
  }

  /** Takes the probe; false if somebody else has it. */
  async take(id: string): Promise<boolean> {
    const { time } = this.#surroundings
    const after = await this.#breaker.commit(present => {
      const now = time.now()
      const before = present ?? CLOSED
      const state = withProbe(before, now, this.#lease(id), probe => this.#isAbandoned(probe))
      return state === before ? present : state
    })
    if (after?.state !== 'half_open' || after.probe?.id !== id) return false
    this.#hold(id)
    return true
  }

  /** Our probe came back. */
  ended(id: string): void {
    this.#own.get(id)?.()
    this.#own.delete(id)
  }

  /** Renews nothing any more: who ends without waiting for its probes is dead to the others. */
  dispose(): void {
    for (const cancel of this.#own.values()) cancel()
    this.#cancelWatch?.()
  }

  /** Wakes whoever waits behind a probe of another process, once that process may be taken for dead. */
  watch(wake: () => void): void {
    const state = this.#breaker.value
    if (this.#cancelWatch || state?.state !== 'half_open') return
    if (!state.probe || this.#own.has(state.probe.id)) return
    this.#isAbandoned(state.probe)
    this.#cancelWatch = this.#surroundings.time.after(PROBE_LEASE_MS, () => {
      this.#cancelWatch = undefined
      wake()
    })
  }

  #hold(id: string): void {
    const { time, store } = this.#surroundings
    if (!store) {
      this.#own.set(id, () => {})
      return
    }
    const renew = () => {
      this.#breaker.update(present => present && withRenewedProbe(present, this.#lease(id)))
      this.#own.set(id, time.after(PROBE_LEASE_MS / 3, renew))
    }
    this.#own.set(id, time.after(PROBE_LEASE_MS / 3, renew))
  }

  #lease(id: string): ProbeInFlight {
    return { id, until: this.#surroundings.time.now() + PROBE_LEASE_MS }
  }

  #isAbandoned(probe: ProbeInFlight): boolean {
    const { time } = this.#surroundings
    if (this.#own.has(probe.id)) return false
    const token = `${probe.id} ${probe.until}`
    if (this.#seen?.token !== token) this.#seen = { token, at: time.monotonic() }
    return time.now() >= probe.until && time.monotonic() - this.#seen.at >= PROBE_LEASE_MS
  }
}
