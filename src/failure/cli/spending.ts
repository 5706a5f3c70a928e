import type { AgentEvent } from './event.ts'

/** Tokens that a run used, as far as its CLI tells. */
export interface Usage {
  inputTokens: number
  outputTokens: number
  /** Part of the input that came from a cache. */
  cachedTokens: number
}

/** What one event tells of turns, cost and tokens. */
export interface Spending {
  /**
   * The model takes its turn. `begins` counts one. `goes on` and `ends` belong to the turn that has begun, and count
   * one where none has.
   */
  turn?: 'begins' | 'goes on' | 'ends'
  /** The message that the turn and its tokens belong to; several events of one message count once. */
  messageId?: unknown
  /** US dollars and tokens that come on top of those told before. */
  usd?: number | undefined
  usage?: Usage | undefined
  /** Totals, which replace what was counted. */
  total?: { usd?: number | undefined; turns?: number | undefined; usage?: Usage | undefined }
}

/** Tokens in the manner of OpenAI: input that came from a cache is a part of the input. */
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
