import type { Choice, Gate, GateRequest, Outlook } from '../../../provider/gate.ts'
import { refusedByWait } from '../../../provider/refusal.ts'
import type { Time } from '../../../time/time.ts'

/**
 * A gate that keeps a call waiting no longer than its client may wait. The shared one lets calls wait for running ones, or
 * until a process that was killed while it tried the server is known to be dead, which takes a minute.
 */
export class LimitedGate implements Gate {
  readonly #gate: Gate
  readonly #provider: string
  readonly #tool: string | undefined
  readonly #leftMs: () => number
  readonly #time: Time

  /**
   * @param called the server, and its tool if one is called
   * @param leftMs how long a call may still wait, in milliseconds
   */
  constructor(
    gate: Gate,
    { provider, tool }: { provider: string; tool?: string | undefined },
    leftMs: () => number,
    time: Time,
  ) {
    this.#gate = gate
    this.#provider = provider
    this.#tool = tool
    this.#leftMs = leftMs
    this.#time = time
  }

  choose(request: GateRequest): Choice | Promise<Choice> {
    const late = new AbortController()
    const { pool, model, credential, tried, again, after, since, triesLeft } = request
    const choice = this.#gate.choose({
      ...{ pool, model, tool: this.#tool, credential, tried, again, after, since, triesLeft },
      remainingMs: this.#leftMs(),
      get signal() {
        return request.signal ? AbortSignal.any([request.signal, late.signal]) : late.signal
      },
    })
    return choice instanceof Promise ? this.#inTime(choice, late) : choice
  }

  outlook(request: GateRequest): Outlook | Promise<Outlook> {
    const { pool, model, credential, tried, again, after, since, signal } = request
    const tool = this.#tool
    return this.#gate.outlook({ pool, model, tool, credential, tried, again, after, since, signal })
  }

  mayRetry(provider: string): boolean {
    return this.#gate.mayRetry(provider)
  }

  async #inTime(choice: Promise<Choice>, late: AbortController): Promise<Choice> {
    const refused = Promise.withResolvers<Choice>()
    const cancel = this.#time.after(this.#leftMs(), () => {
      refused.resolve(this.#refusal())
      late.abort(new Error('the call waits no longer'))
      // A permit that comes too late is for others.
      choice.then(({ permit }) => permit?.released()).catch(() => {})
    })
    try {
      return await Promise.race([choice, refused.promise])
    } finally {
      cancel()
    }
  }

  #refusal(): Choice {
    const { failure, reason } = refusedByWait(this.#provider, this.#time.now())
    return { failure, passedOver: [{ provider: this.#provider, reason }] }
  }
}
