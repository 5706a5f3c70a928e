import type { AgentEvent } from './event.ts'

/** Tokens that a run used, if its CLI reports them. */
export interface Usage {
  inputTokens: number
  outputTokens: number
  /** The part of the input that came from a cache. */
  cachedTokens: number
}

/** What one event says about turns, cost and tokens. */
export interface Spending {
  /**
   * The model takes its turn. `begins` counts one. `goes on` and `ends` belong to the turn in progress, and count one if
   * there is none.
   */
  turn?: 'begins' | 'goes on' | 'ends'
  /** The message that the turn and its tokens belong to. Several events of one message count once. */
  messageId?: unknown
  /** US dollars and tokens to add to those reported before. */
  usd?: number | undefined
  usage?: Usage | undefined
  /** Totals, which replace what was counted. */
  total?: { usd?: number | undefined; turns?: number | undefined; usage?: Usage | undefined }
}

/** Tokens in OpenAI's form: cached input is part of the input. */
export function usageWithCached(
  usage: AgentEvent | undefined,
  names: { input: string; output: string; cached: string },
): Usage {
  return {
    inputTokens: usage?.amount(names.input) ?? 0,
    outputTokens: usage?.amount(names.output) ?? 0,
    cachedTokens: usage?.amount(names.cached) ?? 0,
  }
}
