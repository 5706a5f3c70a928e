import { deliveryCapabilityOf, isDelivery } from '../capability/delivery-name.ts'
import type { Pauses } from '../engine/engine.ts'
import type { Counts } from '../ledger/filter.ts'
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
  /** How many more of them wait for each provider than the ledger records; negative if fewer do. */
  unrecordedHolds: Readonly<Record<string, number>>
  /** What is paused. */
  pauses: Pauses
  /** The state of each provider. */
  providers: readonly ProviderStatus[]
  /** Live runners. */
  runners: readonly RunnerRecord[]
}

/** Asks ledger, engine and health. Deliveries of notices are not counted: they are none of the user's operations. */
export async function statusOf({
  ledger,
  engine,
  health,
  registry,
  surfaces,
}: QueueDeps): Promise<QueueStatus> {
  const [all, unrecordedHolds, nextRetryAt, pauses, providers, runners] = await Promise.all([
    ledger.counts(),
    engine.unrecordedHolds(),
    ledger.nextDueAt(),
    engine.pauses(),
    health.status(),
    ledger.runners(),
  ])
  const known = [...registry.names, ...runners.flatMap(({ capabilities }) => capabilities)]
  const deliveries = new Set([
    ...surfaces.map(deliveryCapabilityOf),
    ...known.filter(name => isDelivery({ name })),
  ])
  const counts =
    deliveries.size === 0 ? all : without(all, await ledger.counts({ capability: [...deliveries] }))
  const { states, parkedFor, deadAs } = counts
  // Read one after the other: claims in between must not make them negative.
  const more = Object.values(unrecordedHolds).reduce((a, b) => a + b, 0)
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
    unrecordedHolds,
    pauses,
    providers,
    runners,
  }
}

/** Counts without some of what was counted. Read one after the other, so never below 0. */
function without(all: Counts, some: Counts): Counts {
  const less = <K extends string>(from: Partial<Record<K, number>>, by: Partial<Record<K, number>>) =>
    Object.fromEntries(
      (Object.entries(from) as [K, number][])
        .map(([key, count]) => [key, Math.max(0, count - (by[key] ?? 0))] as const)
        .filter(([key, count]) => count > 0 || by[key] === undefined),
    ) as Partial<Record<K, number>>
  const { scheduled, running, parked, succeeded, dead } = all.states
  const left = less({ scheduled, running, parked, succeeded, dead }, some.states)
  return {
    ...all,
    total: Math.max(0, all.total - some.total),
    states: { scheduled: 0, running: 0, parked: 0, succeeded: 0, dead: 0, ...left },
    parkedFor: less(all.parkedFor, some.parkedFor),
    deadAs: less(all.deadAs, some.deadAs),
    held: Math.max(0, all.held - some.held),
    due: Math.max(0, all.due - some.due),
  }
}
