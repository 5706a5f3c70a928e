import type { Time } from '../time/time.ts'
import type { BreakerCell } from './breaker-cell.ts'
import type { Choice } from './gate.ts'

/** A call that could become the probe. */
export interface ProbeCandidate {
  probeId: string
  /** When it began to wait, in monotonic milliseconds. */
  since: number
  signal: AbortSignal | undefined
  /** The choice if this call becomes the probe. */
  asProbe: () => Choice
  /** The choice if another call does. */
  chooseAgain: () => Choice | Promise<Choice>
}

interface Entered extends ProbeCandidate {
  resolve: (choice: Choice | Promise<Choice>) => void
  reject: (error: unknown) => void
}

/**
 * Decides which call becomes the probe of a half-open breaker. Calls that waited for the cooldown arrive at the same moment;
 * of all that arrive in one clock tick, the one that waited longest gets the probe lease.
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
      // Without the store it is unknown who may probe; the next call asks again.
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

  /** The candidates that were not aborted meanwhile: a probe that is never made has no result. */
  #take(breaker: BreakerCell): Entered[] {
    const entered = this.#entered.get(breaker) ?? []
    this.#entered.delete(breaker)
    return entered.filter(({ signal, reject }) => {
      if (signal?.aborted) reject(signal.reason)
      return !signal?.aborted
    })
  }
}
