import type { Failure } from '../failure/failure.ts'
import type { Choice, Gate, Outlook } from '../provider/gate.ts'
import { settleWithin } from '../time/settle-within.ts'
import type { Time } from '../time/time.ts'
import type { Budget } from './budget.ts'
import type { Ending } from './ending.ts'
import { GateQuestion } from './gate-question.ts'
import type { CallOptions } from './options.ts'

const NONE_TRIED: ReadonlySet<string> = new Set()

/** Which provider a try goes to. */
export interface Destination {
  /** The provider that a retry goes back to. */
  again?: string | undefined
  /** The failure that it goes on after. */
  after?: Failure | undefined
}

/** Asks the gate for a call, and waits for no answer longer than the call may take. */
export class GateClient {
  /** Providers that failed in this call. */
  tried: ReadonlySet<string> = NONE_TRIED
  /** Monotonic milliseconds at which no provider admitted it first. */
  waitingSince: number | undefined
  readonly #gate: Gate
  readonly #pool: readonly string[]
  readonly #options: CallOptions
  readonly #time: Time
  readonly #budget: Budget
  readonly #ending: Ending

  constructor(gate: Gate, options: CallOptions, time: Time, budget: Budget, ending: Ending) {
    this.#gate = gate
    this.#pool = options.pool ?? (options.provider === undefined ? [] : [options.provider])
    this.#options = options
    this.#time = time
    this.#budget = budget
    this.#ending = ending
  }

  /** Who serves the next try, at once if the gate knows; undefined for a call without a provider. */
  choose({ again, after }: Destination): Choice | Promise<Choice> | undefined {
    if (this.#pool.length === 0) return undefined
    const question = this.#question(again, after, this.waitingSince)
    return this.#asked(question, () => this.#gate.choose(question))
  }

  /**
   * Who else could serve after this failure, and when.
   * @param again who alone can go on, where a session lives there
   */
  outlook(after: Failure, again?: string): Outlook | Promise<Outlook> {
    const question = this.#question(again, after, undefined)
    return this.#asked(question, () => this.#gate.outlook(question))
  }

  /** Why a retry is not made now; undefined if it is. */
  refuseRetry(provider: string): string | undefined {
    return this.#gate.mayRetry(provider)
      ? undefined
      : `most calls to ${provider} fail, so none is retried now`
  }

  failed(provider: string): void {
    this.tried = new Set([...this.tried, provider])
  }

  #question(again: string | undefined, after: Failure | undefined, since: number | undefined): GateQuestion {
    return new GateQuestion(this.#pool, this.#options, this.tried, again, after, since)
  }

  #asked<A extends Choice | Outlook>(question: GateQuestion, ask: () => A | Promise<A>): A | Promise<A> {
    try {
      const answer = ask()
      return answer instanceof Promise ? this.#awaited(answer, question) : answer
    } catch (error) {
      throw this.#ending.gateFailed(error)
    }
  }

  /** A promised answer; a permit that comes too late goes back. */
  async #awaited<A extends Choice | Outlook>(answer: Promise<A>, question: GateQuestion): Promise<A> {
    const { signal } = this.#options
    const giveBack = (late: Choice | Outlook) => {
      if ('permit' in late) late.permit?.released()
    }
    const settled = await settleWithin(answer, this.#time, this.#budget.remainingMs, signal, giveBack)
    if ('value' in settled) return settled.value
    if ('error' in settled) throw this.#ending.gateFailed(settled.error)
    question.withdraw()
    throw signal?.aborted ? this.#ending.aborted(signal) : this.#ending.outOfTime()
  }
}
