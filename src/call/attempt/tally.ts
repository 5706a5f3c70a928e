import { WrongArgument } from '../../failure/own-error.ts'

/** What the work spent since its last report. */
export interface Spending {
  /** US dollars. */
  usd?: number | undefined
  tokens?: number | undefined
}

/** What one attempt has spent so far. Null until the work reports something, because unknown is not zero. */
export class Tally {
  costUsd: number | null = null
  tokens: number | null = null

  /** Adds both amounts, or throws and adds neither. */
  add({ usd, tokens }: Spending): void {
    if (usd !== undefined) checkAmount('charge: usd', usd)
    if (tokens !== undefined) checkAmount('charge: tokens', tokens)
    if (usd !== undefined) this.costUsd = (this.costUsd ?? 0) + usd
    if (tokens !== undefined) this.tokens = (this.tokens ?? 0) + tokens
  }

  /** Replaces the cost by the known total. */
  costs(usd: number): void {
    this.costUsd = checkAmount('record: costUsd', usd)
  }
}

/** What a failed attempt cost. Its failure may know more than was reported: the cost of a call within the work. */
export function totalCost(
  spent: { costUsd: number | null } | undefined,
  failure: { costUsd?: number } | undefined,
): number | null {
  const reported = spent?.costUsd ?? null
  const known = failure?.costUsd ?? null
  return reported === null || known === null ? (reported ?? known) : Math.max(reported, known)
}

function checkAmount(what: string, amount: number): number {
  if (typeof amount === 'number' && amount >= 0 && amount < Infinity) return amount
  throw new WrongArgument(`${what} must be a number of at least 0, not ${amount}`)
}
