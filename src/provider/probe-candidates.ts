import type { Time } from '../time/time.ts'
import type { BreakerCell } from './breaker-cell.ts'
import type { Choice } from './gate.ts'

/** A call that could be the probe. */
export interface ProbeCandidate {
  probeId: string
  /** Monotonic milliseconds since when it waits. */
  since: number
  signal: AbortSignal | undefined
  /** The choice if it is the probe. */
  asProbe: () => Choice
  /** The choice if another call is. */
  chooseAgain: () => Choice | Promise<Choice>
}

interface Entered extends ProbeCandidate {
  resolve: (choice: Choice | Promise<Choice>) => void
  reject: (error: unknown) => void
}

/**
 * Which call becomes the probe of a half-open breaker. Calls that waited for the cooldown come at the same moment: of
 * all that come in one turn of the clock, the one that waited longest gets the lease of the probe.
 */
export class ProbeCandidates {
  readonly #time: Time
  readonly #entered = new Map<BreakerCell, Entered[]>()

  constructor(time: Time) {
    this.#time = time
  }

  enter(breaker: BreakerCell, candidate: ProbeCandidate): Promise<Choice> {
    return new Promise((resolve, reject) => {
      const entered = { ...candidate, resolve, reject }
      const present = this.#entered.get(breaker)
      if (present) {
        present.push(entered)
        return
      }
      this.#entered.set(breaker, [entered])
      this.#time.after(0, () => void this.#pick(breaker))
    })
  }

  async #pick(breaker: BreakerCell): Promise<void> {
    const [longest, ...others] = this.#take(breaker).sort((a, b) => a.since - b.since)
    if (!longest) return
    try {
      if (await breaker.probeLease.take(longest.probeId)) longest.resolve(longest.asProbe())
      else others.unshift(longest)
    } catch (error) {
      // Without the store it is not known who may probe; the next call asks again.
      longest.reject(error)
    }
    for (const { chooseAgain, resolve, reject } of others) {
      try {
        resolve(chooseAgain())
      } catch (error) {
        reject(error)
      }
    }
  }

  /** Those that came, without those aborted since: a probe that is never made has no result. */
  #take(breaker: BreakerCell): Entered[] {
    const entered = this.#entered.get(breaker) ?? []
    this.#entered.delete(breaker)
    return entered.filter(({ signal, reject }) => {
      if (signal?.aborted) reject(signal.reason)
      return !signal?.aborted
    })
  }
}
