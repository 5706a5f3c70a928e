import type { Pauses } from '../engine/engine.ts'
import type { RunnerRecord } from '../ledger/runner-record.ts'
import type { ProviderStatus } from '../provider/status.ts'
import type { CancelReason, ParkReason } from '../verdict/verdict.ts'
import type { QueueDeps } from './queue-deps.ts'

/** The state of the queue. Times are epoch milliseconds. */
export interface QueueStatus {
  /** Operations that wait for their time, held ones included; when the next is due; and those out of retries, if any. */
  retryQueue: { queued: number; nextRetryAt?: number; exhausted?: number }
  /** Could run now. */
  due: number
  /** Claimed by a runner. */
  running: number
  /** Waiting for a person or a runner: in total, and by what they wait for. */
  parked: { total: number; for: Partial<Record<ParkReason, number>> }
  /** Succeeded, and not pruned yet. */
  succeeded: number
  /** Ended without success, and not pruned yet. */
  dead: number
  /** What the dead ones died of. */
  deadAs: Partial<Record<CancelReason, number>>
  /** Waiting until a provider can be used. */
  held: number
  /** What is paused. */
  pauses: Pauses
  /** The state of each provider. */
  providers: readonly ProviderStatus[]
  /** Runners that are alive. */
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
  // Asked one after the other: what was claimed in between must not make them negative.
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
