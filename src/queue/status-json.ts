import { providerToJson } from '../provider/json.ts'
import { timeToJson } from '../time/time-json.ts'
import type { QueueStatus } from './status.ts'

/** The state of the queue in JSON. */
export function statusToJson(status: QueueStatus): Record<string, unknown> {
  const { retryQueue, due, running, parked, held, succeeded, dead, deadAs, pauses, providers, runners } =
    status
  const { queued, nextRetryAt, exhausted } = retryQueue
  return {
    retry_queue: {
      queued,
      ...(nextRetryAt === undefined ? {} : { next_retry_at: timeToJson(nextRetryAt) }),
      ...(exhausted === undefined ? {} : { exhausted }),
    },
    due,
    held,
    running,
    parked: { total: parked.total, for: parked.for },
    succeeded,
    dead,
    dead_as: deadAs,
    paused: pauses,
    providers: providers.map(providerToJson),
    runners: runners.map(({ id, label, capabilities, startedAt, seenAt }) => ({
      id,
      ...(label === undefined ? {} : { label }),
      capabilities,
      started_at: timeToJson(startedAt),
      seen_at: timeToJson(seenAt),
    })),
  }
}
