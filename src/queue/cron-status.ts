import { present } from '../failure/present.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type CronRecord, readCronRecord } from './cron-record.ts'
import { CRON_ZONE_DEFAULT, type CronSchedule, timesOf } from './cron-schedule.ts'
import { type SchedulePause, schedulePause } from './schedule-pause.ts'

/** The state of a schedule. Times are epoch milliseconds. */
export interface ScheduleStatus {
  name: string
  capability: string
  cron: string
  /** IANA name of its time zone. */
  timeZone: string
  /** Whether it submits at all. */
  enabled: boolean
  /** Its next time. Absent if it is off or paused. */
  nextAt?: number
  /** Since when it is paused, and by whom. Absent if it is not. */
  paused?: SchedulePause
  /** What it did last. Absent if no runner has handled it yet. */
  last?: CronRecord
}

/** The state of each schedule, whichever process submits them. Without a ledger, nothing was ever submitted. */
export function scheduleStatuses(
  ledger: Ledger | undefined,
  schedules: readonly CronSchedule[],
  now: number,
): Promise<ScheduleStatus[]> {
  return Promise.all(
    schedules.map(async schedule => {
      const { name, capability, cron, timeZone = CRON_ZONE_DEFAULT, enabled = true } = schedule
      const [last, paused] = ledger
        ? await Promise.all([readCronRecord(ledger, name), schedulePause(ledger, name)])
        : []
      const nextAt = enabled && !paused ? timesOf(schedule).after(now) : undefined
      return {
        name,
        capability,
        cron,
        timeZone,
        enabled,
        ...present({ nextAt, paused, last }),
      }
    }),
  )
}
