import type { CallContext } from '../call/context.ts'
import type { Spent } from './outcome.ts'

/**
 * Charges a call or an operation for an agent's run. The CLI reports totals repeatedly; `charge` takes the increase since the
 * last report.
 */
export class Charge {
  readonly #context: Pick<CallContext, 'charge'>
  #usd = 0
  #tokens = 0

  constructor(context: Pick<CallContext, 'charge'>) {
    this.#context = context
  }

  /** Charges up to these totals. A total below the last one charges nothing. */
  upTo({ costUsd, usage }: Pick<Spent, 'costUsd' | 'usage'>): void {
    const tokens = usage ? usage.inputTokens + usage.outputTokens : 0
    const spent: { usd?: number; tokens?: number } = {}
    if (costUsd !== null && costUsd >= this.#usd) spent.usd = costUsd - this.#usd
    if (usage && tokens > this.#tokens) spent.tokens = tokens - this.#tokens
    this.#usd = Math.max(this.#usd, costUsd ?? 0)
    this.#tokens = Math.max(this.#tokens, tokens)
    if (spent.usd !== undefined || spent.tokens !== undefined) this.#context.charge(spent)
  }
}
