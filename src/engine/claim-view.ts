import type { Accesses } from '../ledger/row/provider-access.ts'
import type { FoundWork } from './due-work.ts'

/** Everything a claim depends on, read at one moment. */
export interface ClaimView<Lease> {
  now: number
  accesses: Accesses
  /** Leases of lost runs that it may take over. */
  lost: readonly Lease[]
  search: FoundWork
}

/** What a claim that may take nothing sees. */
export const NOTHING: Omit<ClaimView<never>, 'now'> = {
  accesses: new Map(),
  lost: [],
  search: { take: [], nextAt: undefined },
}

/** Whether there is anything to write: something to claim, or that a provider is free again. */
export function hasChanges({ lost, search, accesses }: ClaimView<unknown>): boolean {
  return (
    lost.length > 0 ||
    search.take.length > 0 ||
    [...accesses.values()].some(({ state, isUntold }) => isUntold || state === 'open')
  )
}

/** When to look again at the latest. */
export function nextLook(
  { search }: ClaimView<unknown>,
  nextLossAt: number | undefined,
): { nextAt?: number } {
  const times = [search.nextAt, nextLossAt].filter(at => at !== undefined)
  return times.length === 0 ? {} : { nextAt: Math.min(...times) }
}
