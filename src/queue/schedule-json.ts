import { timeToJson } from '../time/time-json.ts'
import type { ScheduleStatus } from './cron-status.ts'

/** A schedule in JSON. */
export function scheduleToJson(standing: ScheduleStatus): Record<string, unknown> {
  const { name, capability, cron, timeZone, enabled, nextAt, last } = standing
  return {
    name,
    capability,
    cron,
    time_zone: timeZone,
    enabled,
    next_at: nextAt === undefined ? null : timeToJson(nextAt),
    last: last
      ? {
          at: timeToJson(last.at),
          did: last.did,
          ...(last.operation === undefined ? {} : { operation: last.operation }),
        }
      : null,
  }
}
