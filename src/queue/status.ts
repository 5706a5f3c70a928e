import type { Pauses } from '../engine/engine.ts'
import type { RunnerRecord } from '../ledger/runner-record.ts'
import type { ProviderStatus } from '../provider/status.ts'
import type { CancelReason, ParkReason } from '../verdict/verdict.ts'
import type { QueueDeps } from './queue-deps.ts'

/** The state of the queue. Times are epoch milliseconds. */
export interface QueueStatus {
  /** Operations that wait for their time, including held ones; when the next is due; and how many ran out of retries, if any. */
  retryQueue: { queued: number; nextRetryAt?: number; exhausted?: number }
  /** Operations that could run now. */
  due: number
  /** Operations claimed by a runner. */
  running: number
  /** Operations waiting for a person or a runner: in total, and by what they wait for. */
  parked: { total: number; for: Partial<Record<ParkReason, number>> }
  /** Succeeded operations not yet pruned. */
  succeeded: number
  /** Dead operations not yet pruned. */
  dead: number
  /** Why the dead ones died. */
  deadAs: Partial<Record<CancelReason, number>>
  /** Operations waiting for a provider. */
  held: number
  /** What is paused. */
  pauses: Pauses
  /** The state of each provider. */
  providers: readonly ProviderStatus[]
  /** Live runners. */
  runners: readonly RunnerRecord[]
}

/** Asks ledger, engine and health. */
export async function statusOf({ ledger, engine, health }: QueueDeps): Promise<QueueStatus> {
  const [counts, more, nextRetryAt, pauses, providers, runners] = await Promise.all([
    ledger.counts(),
    engine.unrecordedHolds(),
    ledger.nextDueAt(),
    engine.pauses(),
    health.status(),
    ledger.runners(),
  ])
  const { states, parkedFor, deadAs } = counts
  // Read one after the other: claims in between must not make them negative.
  const held = Math.max(0, counts.held + more)
  const due = Math.max(0, counts.due - more)
  return {
    retryQueue: {
      queued: states.scheduled,
      ...(nextRetryAt === undefined ? {} : { nextRetryAt }),
      ...(deadAs.exhausted === undefined ? {} : { exhausted: deadAs.exhausted }),
    },
    due,
    running: states.running,
    parked: { total: states.parked, for: parkedFor },
    succeeded: states.succeeded,
    dead: states.dead,
    deadAs,
    held,
    pauses,
    providers,
    runners,
  }
}
