import { LedgerError } from './error.ts'
import type { PrunePolicy } from './upkeep.ts'

/** Operations or events deleted in one transaction. */
export const PRUNE_STEP_DEFAULT = 200
/** At this age, in milliseconds, listeners without a cursor have read an event. */
export const EVENTS_AT_LEAST_MS = 60_000

/** Refuses invalid numbers to keep, or to delete at once. */
export function checkPrunePolicy({
  step = PRUNE_STEP_DEFAULT,
  keepSucceeded = 0,
  keepDead = 0,
}: PrunePolicy): void {
  const invalid = (name: string, value: number, least: number) =>
    new LedgerError('invalid', `${name} must be an integer of at least ${least}, not ${value}`)
  if (!Number.isSafeInteger(step) || step < 1) throw invalid('step', step, 1)
  for (const [name, keep] of Object.entries({ keepSucceeded, keepDead }))
    if (!Number.isSafeInteger(keep) || keep < 0) throw invalid(name, keep, 0)
}
