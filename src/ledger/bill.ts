import type { TokenUsage } from '../failure/stream/usage.ts'

/** Lines of the bill cover this many milliseconds: days begin at quarters of an hour, everywhere. */
export const BILL_STEP_MS = 15 * 60_000
/** After this many milliseconds, 62 days, lines are summed up: only who spent it where stays known. */
export const BILL_AFTER_MS = 62 * 86_400_000

/** When the day of this machine began, epoch milliseconds. */
export function billDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0)
}

/** What a line of the bill is about. An empty text means that it is not known. */
export interface BillPlace {
  /** The program that asked: an agent behind the proxy, or a program that opened the ledger. */
  client: string
  /** Its conversation. */
  session: string
  provider: string
  model: string
}

/** What tries used and cost together. */
export interface BillSum {
  /** Tries that used something. */
  tries: number
  /** Those of them that failed, and were paid for all the same. */
  failed: number
  /** Those of them whose price nobody knew: `usd` is without them. */
  unpriced: number
  /** US dollars. */
  usd: number
  usage: TokenUsage
}

/** What was spent at one place from `at` on, for {@link BILL_STEP_MS}. */
export interface BillLine extends BillPlace, BillSum {
  /** Epoch milliseconds, a multiple of {@link BILL_STEP_MS}; 0 for everything that is summed up. */
  at: number
}

/** Which lines of the bill to sum, and by what. */
export interface BillQuery extends Partial<BillPlace> {
  /** Only lines from this time on, epoch milliseconds. Default: all. */
  since?: number
  /** Only lines before this time, epoch milliseconds. Default: all. */
  until?: number
  /** One sum for each of these. Default: one sum for all. */
  by?: readonly (keyof BillPlace | 'at')[]
  /** At most this many sums, the largest first. Default 1,000. */
  limit?: number
}

/** A sum of the bill, with what it was summed by. */
export type BillRow = BillSum & Partial<BillPlace> & { at?: number }
