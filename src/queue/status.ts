import type { Pauses, RunUnderWay } from '../engine/engine.ts'
import { present } from '../failure/present.ts'
import { isDelivery } from '../ledger/delivery-name.ts'
import type { RunnerRecord } from '../ledger/runner-record.ts'
import type { ProviderStatus } from '../provider/provider-status.ts'
import type { CancelReason, ParkReason } from '../verdict/verdict.ts'
import type { QueueDeps } from './queue-deps.ts'

/** Most runs that are listed with their runners. */
const MOST_UNDER_WAY = 100

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
  /** Live runners, and what each runs now: of all at most {@link MOST_UNDER_WAY}, the oldest operations. */
  runners: readonly (RunnerRecord & { running: readonly Omit<RunUnderWay, 'runner'>[] })[]
}

/** Asks ledger, engine and health. Deliveries of notices are not counted: they are none of the user's operations. */
export async function statusOf({ ledger, engine, health }: QueueDeps): Promise<QueueStatus> {
  const [counts, nextRetryAt, pauses, providers, runners, underWay] = await Promise.all([
    ledger.counts({ deliveries: 'without' }),
    ledger.nextDueAt(),
    engine.pauses(),
    health.status(),
    ledger.runners(),
    engine.underWay(MOST_UNDER_WAY),
  ])
  const { states, parkedFor, deadAs, held, due } = counts
  return {
    retryQueue: {
      queued: states.scheduled,
      ...present({ nextRetryAt, exhausted: deadAs.exhausted }),
    },
    due,
    running: states.running,
    parked: { total: states.parked, for: parkedFor },
    succeeded: states.succeeded,
    dead: states.dead,
    deadAs,
    held,
    // Health has them, also where it keeps them elsewhere than in the ledger.
    pauses: { ...pauses, providers: providers.filter(({ paused }) => paused).map(({ id }) => id) },
    providers,
    runners: runners.map(each => ({
      ...each,
      running: underWay.filter(run => run.runner === each.id && !isDelivery(run)),
    })),
  }
}
