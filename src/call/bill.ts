import type { TokenUsage } from '../failure/stream/usage.ts'
import { notify } from '../verdict/listener.ts'
import type { Attempt } from './attempt/attempt.ts'

/** What one try used and cost, and where. */
export interface Spent {
  /** When the try began, in epoch milliseconds. */
  at: number
  provider: string | undefined
  model: string | undefined
  /** The conversation; see `sticky`. */
  session: string | undefined
  /** Undefined if the answer does not say. */
  usage: TokenUsage | undefined
  /** US dollars; null if nobody knows. */
  costUsd: number | null
  /** Whether it was paid for a try that failed. */
  isFailed: boolean
}

/** Takes down what tries used and cost. */
export type Bill = (spent: Spent) => void

/** Puts a try on the bill, unless nothing is known of what it used. */
export function putOnBill(bill: Bill | undefined, attempt: Attempt, session: string | undefined): void {
  const { startedAt: at, provider, model, usage, costUsd, failure } = attempt
  if (!bill || (usage === undefined && costUsd === null)) return
  notify(bill, { at, provider, model, session, usage, costUsd, isFailed: failure !== undefined })
}
