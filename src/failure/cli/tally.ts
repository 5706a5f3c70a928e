import type { Spending, Usage } from './spending.ts'

/** What a session has used up. */
export interface Totals {
  usd?: number | undefined
  usage?: Usage | undefined
}

/** Turns, cost and tokens of a run, summed over its events. Undefined if no event reports them. */
export class RunTally {
  turns: number | undefined
  usd: number | undefined
  usage: Usage | undefined
  #isTurnOpen = false
  #messageId: unknown
  readonly #before: Totals

  /** @param before what the session had used before this run, if the CLI's totals include it */
  constructor(before: Totals = {}) {
    this.#before = before
  }

  add({ turn, messageId, usd, usage, total }: Spending): void {
    if (messageId !== undefined) {
      if (messageId === this.#messageId) return
      this.#messageId = messageId
    }
    if (turn !== undefined) this.#countTurn(turn)
    if (usd !== undefined) this.usd = (this.usd ?? 0) + usd
    if (usage !== undefined) this.usage = this.usage === undefined ? usage : sumOf(this.usage, usage)
    if (total?.usd !== undefined) this.usd = since(total.usd, this.#before.usd)
    if (total?.turns !== undefined) this.turns = total.turns
    if (total?.usage !== undefined) this.usage = usageSince(total.usage, this.#before.usage)
  }

  #countTurn(turn: NonNullable<Spending['turn']>): void {
    if (turn === 'begins' || !this.#isTurnOpen) this.turns = (this.turns ?? 0) + 1
    this.#isTurnOpen = turn !== 'ends'
  }
}

export function sumOf(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
  }
}

/** The increase since `before`. A total smaller than `before` cannot include it. */
function since(total: number, before = 0): number {
  return total >= before ? total - before : total
}

function usageSince(usage: Usage, before: Usage | undefined): Usage {
  if (!before || usage.inputTokens < before.inputTokens) return usage
  return {
    inputTokens: usage.inputTokens - before.inputTokens,
    outputTokens: since(usage.outputTokens, before.outputTokens),
    cachedTokens: since(usage.cachedTokens, before.cachedTokens),
  }
}
