import type { Failure } from '../failure/failure.ts'
import type { Choice, Gate, GateRequest, Outlook } from '../provider/gate.ts'
import { settleWithin } from '../time/settle-within.ts'
import { sleep } from '../time/time.ts'
import { SHORT_WAIT_MS } from '../verdict/course.ts'
import type { CallDeps } from './call-deps.ts'
import { callAborted, callOutOfTime, gateFailed } from './ending.ts'
import { LONGEST_WAIT_WITHOUT_BUDGET_MS, MAX_RETRIES_DEFAULT } from './options.ts'

const NONE_TRIED: ReadonlySet<string> = new Set()
/** A council waits for its slowest member, so a member does not wait long for others to find out whether its provider is back. */
const URGENT_TURN_MS = 1_000
/** Kept of the budget to end with the reason for the wait rather than by the clock, in milliseconds. */
const TIME_TO_SAY_WHY_MS = 10

/** Which provider a try goes to. */
export interface Destination {
  /** The provider that a retry goes back to. */
  again?: string | undefined
  /** The failure that it follows. */
  after?: Failure | undefined
  /** True if only the provider in `again` can continue. */
  isBound?: boolean
  /** How long it has waited since its last try, in milliseconds. */
  waitedMs?: number
}

/** Asks the gate on behalf of a call, and never waits for an answer longer than the call may take. */
export class GateClient {
  /** Providers that failed in this call. */
  tried: ReadonlySet<string> = NONE_TRIED
  readonly #gate: Gate
  readonly #pool: readonly string[]
  readonly #deps: CallDeps

  constructor(gate: Gate, deps: CallDeps) {
    this.#gate = gate
    this.#pool = deps.route.providers
    this.#deps = deps
  }

  /** The provider for the next try, at once if the gate knows it; undefined for a call without a provider. */
  choose(to: Destination): Choice | Promise<Choice> | undefined {
    if (this.#pool.length === 0) return undefined
    const question = new GateQuestion(this.#pool, this.#deps, this.tried, to)
    try {
      const answer = this.#gate.choose(question)
      return answer instanceof Promise ? this.#awaited(answer, question) : answer
    } catch (error) {
      throw gateFailed(this.#deps, error)
    }
  }

  /**
   * Which other provider could serve after this failure, and when.
   * @param again the only provider that can continue, because the session lives there
   */
  outlook(after: Failure, again?: string): Outlook | Promise<Outlook> {
    const question = new GateQuestion(this.#pool, this.#deps, this.tried, { again, after })
    try {
      const answer = this.#gate.outlook(question)
      return answer instanceof Promise ? this.#awaited(answer, question) : answer
    } catch (error) {
      throw gateFailed(this.#deps, error)
    }
  }

  /**
   * Waits until a provider admits the call, this long at most. Rejects if the call is aborted.
   * @param ms milliseconds
   */
  async wait({ again, after }: Destination, ms: number): Promise<void> {
    const { time, options } = this.#deps
    const { signal } = options
    if (this.#pool.length === 0 || !this.#gate.wait) return sleep(time, ms, signal)
    const question = new GateQuestion(this.#pool, this.#deps, this.tried, { again, after })
    const stop = () => question.withdraw(signal?.reason)
    if (signal?.aborted) throw signal.reason
    signal?.addEventListener('abort', stop, { once: true })
    try {
      await this.#gate.wait(question, ms)
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }

  /** Takes a retry from the provider's bucket; false if most of its calls fail. */
  mayRetry(provider: string): boolean {
    return this.#gate.mayRetry(provider)
  }

  failed(provider: string): void {
    this.tried = new Set([...this.tried, provider])
  }

  /** Waits for a promised answer. Returns a permit that comes too late. */
  async #awaited<A extends Choice | Outlook>(answer: Promise<A>, question: GateQuestion): Promise<A> {
    const { options, time, budget } = this.#deps
    const { signal } = options
    const giveBack = (late: Choice | Outlook) => {
      if ('permit' in late) late.permit?.released()
    }
    const settled = await settleWithin(answer, time, budget.remainingMs, signal, giveBack)
    if ('value' in settled) return settled.value
    if ('error' in settled) throw gateFailed(this.#deps, settled.error)
    question.withdraw()
    throw signal?.aborted ? callAborted(this.#deps, signal) : callOutOfTime(this.#deps)
  }
}

/** A call's question to the gate. Most answers are immediate: what few of them need is computed on access. */
class GateQuestion implements GateRequest {
  readonly pool: readonly string[]
  readonly model: string | undefined
  readonly models: GateRequest['models']
  readonly credential: string | undefined
  readonly tried: ReadonlySet<string>
  readonly again: string | undefined
  readonly after: Failure | undefined
  readonly isBound: boolean | undefined
  readonly waitedMs: number | undefined
  /** Calls wait in the order in which they began. */
  readonly since: number
  readonly #deps: CallDeps
  #controller: AbortController | undefined

  constructor(pool: readonly string[], deps: CallDeps, tried: ReadonlySet<string>, to: Destination) {
    const { options, route, budget } = deps
    this.pool = pool
    this.model = options.model
    this.models = route.models
    this.credential = options.credential
    this.tried = tried
    this.again = to.again
    this.after = to.after
    this.isBound = to.isBound
    this.waitedMs = to.waitedMs
    this.since = budget.startedAt
    this.#deps = deps
  }

  /** The retry that is about to begin is counted already. */
  get triesLeft(): number {
    const { options, circumstances } = this.#deps
    return Math.max(0, (options.maxRetries ?? MAX_RETRIES_DEFAULT) - circumstances.retries) + 1
  }

  /** A call that cannot wait as long as its budget goes within the wait that it can. */
  get ownTurnMs(): number {
    const { urgent, longestWaitMs = Infinity } = this.#deps.options
    return Math.min(urgent ? URGENT_TURN_MS : Infinity, longestWaitMs / (this.triesLeft + 1))
  }

  /** A council's retry goes first: the others of the council wait for it. */
  get isUrgent(): boolean {
    return this.again !== undefined && this.#deps.options.urgent === true
  }

  /** What is left of the budget, or the longest wait; a retry goes to another provider rather than wait for long. */
  get waitMs(): number {
    const { budget, options } = this.#deps
    const { longestWaitMs, budgetMs } = options
    const longest = longestWaitMs ?? (budgetMs === undefined ? LONGEST_WAIT_WITHOUT_BUDGET_MS : Infinity)
    const mostMs = this.again !== undefined && this.pool.length > 1 ? SHORT_WAIT_MS : longest
    const { remainingMs } = budget
    return Math.min(mostMs, Math.max(0, remainingMs - Math.min(TIME_TO_SAY_WHY_MS, remainingMs / 100)))
  }

  get remainingMs(): number {
    return this.#deps.budget.remainingMs
  }

  get signal(): AbortSignal {
    return this.#controllerOf().signal
  }

  /** The answer is no longer needed. The gate may ask for the signal only after that. */
  withdraw(reason?: unknown): void {
    this.#controllerOf().abort(reason)
  }

  #controllerOf(): AbortController {
    this.#controller ??= new AbortController()
    return this.#controller
  }
}
