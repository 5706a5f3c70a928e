import { LedgerError } from './error.ts'
import type { PrunePolicy } from './upkeep.ts'

/** Operations, or events, that are forgotten in one transaction. */
export const PRUNE_STEP_DEFAULT = 200
/** Who listens without a cursor has read an event by this age, in milliseconds. */
export const EVENTS_AT_LEAST_MS = 60_000

/** Refuses what is no number to keep or to forget at once. */
export function checkPrunePolicy({
  step = PRUNE_STEP_DEFAULT,
  keepSucceeded = 0,
  keepDead = 0,
}: PrunePolicy): void {
  const invalid = (name: string, value: number, least: number) =>
    new LedgerError('invalid', `${name} ${value}: give a whole number, ${least} or more`)
  if (!Number.isSafeInteger(step) || step < 1) throw invalid('step', step, 1)
  for (const [name, keep] of Object.entries({ keepSucceeded, keepDead }))
    if (!Number.isSafeInteger(keep) || keep < 0) throw invalid(name, keep, 0)
}
