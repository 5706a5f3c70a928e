import type { Failure } from '../failure/failure.ts'
import type { Choice, Gate, GateRequest, Outlook } from '../provider/gate.ts'
import { settleWithin } from '../time/settle-within.ts'
import type { CallDeps } from './call-deps.ts'
import { callAborted, callOutOfTime, gateFailed } from './ending.ts'
import type { CallOptions } from './options.ts'

const NONE_TRIED: ReadonlySet<string> = new Set()
const NO_PROVIDER: readonly string[] = []

/** Which provider a try goes to. */
export interface Destination {
  /** The provider that a retry goes back to. */
  again?: string | undefined
  /** The failure that it follows. */
  after?: Failure | undefined
}

/** Asks the gate on behalf of a call, and never waits for an answer longer than the call may take. */
export class GateClient {
  /** Providers that failed in this call. */
  tried: ReadonlySet<string> = NONE_TRIED
  /** When no provider first admitted it, in monotonic milliseconds. */
  waitingSince: number | undefined
  readonly #gate: Gate
  readonly #pool: readonly string[]
  readonly #deps: CallDeps

  constructor(gate: Gate, deps: CallDeps) {
    const { pool, provider } = deps.options
    this.#gate = gate
    this.#pool = pool ?? (provider === undefined ? NO_PROVIDER : [provider])
    this.#deps = deps
  }

  /** The provider for the next try, at once if the gate knows it; undefined for a call without a provider. */
  choose({ again, after }: Destination): Choice | Promise<Choice> | undefined {
    if (this.#pool.length === 0) return undefined
    const question = this.#question(again, after, this.waitingSince)
    try {
      return this.#atOnceOrAwaited(this.#gate.choose(question), question)
    } catch (error) {
      throw gateFailed(this.#deps, error)
    }
  }

  /**
   * Which other provider could serve after this failure, and when.
   * @param again the only provider that can continue, because the session lives there
   */
  outlook(after: Failure, again?: string): Outlook | Promise<Outlook> {
    const question = this.#question(again, after, undefined)
    try {
      return this.#atOnceOrAwaited(this.#gate.outlook(question), question)
    } catch (error) {
      throw gateFailed(this.#deps, error)
    }
  }

  /** Why a retry must not be made now; undefined if it may. */
  refuseRetry(provider: string): string | undefined {
    return this.#gate.mayRetry(provider) ? undefined : `most calls to ${provider} fail, so retries are paused`
  }

  failed(provider: string): void {
    this.tried = new Set([...this.tried, provider])
  }

  #question(again: string | undefined, after: Failure | undefined, since: number | undefined): GateQuestion {
    return new GateQuestion(this.#pool, this.#deps.options, this.tried, again, after, since)
  }

  #atOnceOrAwaited<A extends Choice | Outlook>(
    answer: A | Promise<A>,
    question: GateQuestion,
  ): A | Promise<A> {
    return answer instanceof Promise ? this.#awaited(answer, question) : answer
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

/** A call's question to the gate. Most answers are immediate and need no signal to withdraw the question. */
class GateQuestion implements GateRequest {
  readonly pool: readonly string[]
  readonly model: string | undefined
  readonly credential: string | undefined
  readonly tried: ReadonlySet<string>
  readonly again: string | undefined
  readonly after: Failure | undefined
  readonly since: number | undefined
  #controller: AbortController | undefined

  constructor(
    pool: readonly string[],
    { model, credential }: Pick<CallOptions, 'model' | 'credential'>,
    tried: ReadonlySet<string>,
    again: string | undefined,
    after: Failure | undefined,
    since: number | undefined,
  ) {
    this.pool = pool
    this.model = model
    this.credential = credential
    this.tried = tried
    this.again = again
    this.after = after
    this.since = since
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  /** The answer is no longer needed. */
  withdraw(): void {
    this.#controller?.abort()
  }
}
