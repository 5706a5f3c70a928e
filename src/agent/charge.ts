import type { CallContext } from '../call/try.ts'
import type { Spent } from './outcome.ts'

/** Tells a call what a run costs, as the difference to what it was told before. */
export class Charge {
  readonly #context: CallContext
  #usd = 0
  #tokens = 0

  constructor(context: CallContext) {
    this.#context = context
  }

  upTo({ costUsd, usage }: Spent): void {
    const tokens = usage ? usage.inputTokens + usage.outputTokens : 0
    const spent: { usd?: number; tokens?: number } = {}
    if (costUsd !== null && costUsd >= this.#usd) spent.usd = costUsd - this.#usd
    if (usage && tokens > this.#tokens) spent.tokens = tokens - this.#tokens
    this.#usd = Math.max(this.#usd, costUsd ?? 0)
    this.#tokens = Math.max(this.#tokens, tokens)
    if (spent.usd !== undefined || spent.tokens !== undefined) this.#context.charge(spent)
  }
}
