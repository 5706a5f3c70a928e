import type { Pauses } from '../engine/index.ts'
import type { Runner as LedgerRunner } from '../ledger/index.ts'
import type { ProviderStatus } from '../provider/index.ts'
import type { ParkReason } from '../verdict/index.ts'
import type { Surroundings } from './surroundings.ts'

/** How the queue stands. Times are epoch milliseconds. */
export interface QueueStatus {
  /** What waits for its time, held operations included, and when the next is due. */
  retryQueue: { queued: number; nextRetryAt?: number }
  /** Could run now. */
  due: number
  running: number
  parked: { total: number; for: Partial<Record<ParkReason, number>> }
  succeeded: number
  dead: number
  /** Wait until a provider can be used. */
  held: number
  pauses: Pauses
  providers: readonly ProviderStatus[]
  /** Runners that are alive. */
  runners: readonly LedgerRunner[]
}

export async function statusOf({ ledger, engine, health }: Surroundings): Promise<QueueStatus> {
  const [counts, nextRetryAt, pauses, providers, runners] = await Promise.all([
    ledger.counts(),
    ledger.nextDueAt(),
    engine.pauses(),
    health.status(),
    ledger.runners(),
  ])
  const { states, parkedFor, held, due } = counts
  return {
    retryQueue: { queued: states.scheduled, ...(nextRetryAt === undefined ? {} : { nextRetryAt }) },
    due,
    running: states.running,
    parked: { total: states.parked, for: parkedFor },
    succeeded: states.succeeded,
    dead: states.dead,
    held,
    pauses,
    providers,
    runners,
  }
}
