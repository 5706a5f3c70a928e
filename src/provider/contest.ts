import type { BreakerCell } from './breaker-cell.ts'
import type { Choice, GateRequest } from './gate.ts'
import type { Surroundings } from './surroundings.ts'

interface Contender {
  request: GateRequest
  since: number
  probeId: string
  award: () => Choice
  resolve: (choice: Choice | Promise<Choice>) => void
  reject: (error: unknown) => void
}

/**
 * Who gets the probe of a half-open breaker. Calls that waited for the cooldown come at the same moment: all that
 * come in one turn of the clock are heard, and the one that waited longest wins.
 */
export class Contest {
  readonly #surroundings: Surroundings
  readonly #choose: (request: GateRequest, since: number) => Choice | Promise<Choice>
  readonly #contenders = new Map<BreakerCell, Contender[]>()

  constructor(
    surroundings: Surroundings,
    choose: (request: GateRequest, since: number) => Choice | Promise<Choice>,
  ) {
    this.#surroundings = surroundings
    this.#choose = choose
  }

  /** @param award makes the choice of the winner; the others choose again, and find the probe in flight */
  enter(
    breaker: BreakerCell,
    request: GateRequest,
    since: number,
    probeId: string,
    award: () => Choice,
  ): Promise<Choice> {
    const { time } = this.#surroundings
    return new Promise((resolve, reject) => {
      const contender = { request, since, probeId, award, resolve, reject }
      const present = this.#contenders.get(breaker)
      if (present) {
        present.push(contender)
        return
      }
      this.#contenders.set(breaker, [contender])
      time.after(0, () => void this.#decide(breaker))
    })
  }

  async #decide(breaker: BreakerCell): Promise<void> {
    const contenders = this.#present(breaker).sort((a, b) => a.since - b.since)
    const [longest, ...others] = contenders
    if (!longest) return
    try {
      if (await breaker.probeRight.take(longest.probeId)) longest.resolve(longest.award())
      else others.unshift(longest)
    } catch (error) {
      // Without the store nobody knows who may probe; the next call asks again.
      longest.reject(error)
    }
    for (const { request, resolve, reject, since } of others) {
      try {
        resolve(this.#choose(request, since))
      } catch (error) {
        reject(error)
      }
    }
  }

  /** Those who came, without those who have given up meanwhile: a probe that nobody makes tells nothing. */
  #present(breaker: BreakerCell): Contender[] {
    const contenders = this.#contenders.get(breaker) ?? []
    this.#contenders.delete(breaker)
    return contenders.filter(({ request: { signal }, reject }) => {
      if (signal?.aborted) reject(signal.reason)
      return !signal?.aborted
    })
  }
}
