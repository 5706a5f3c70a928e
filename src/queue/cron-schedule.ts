import { CronTimes } from '../config/cron.ts'
import { present } from '../failure/present.ts'
import { QueueError } from './error.ts'
import type { Submission } from './submission.ts'

/** An operation that is submitted at certain times. */
export interface CronSchedule {
  /** Permanent name of the schedule: the ledger stores what it did under this name. */
  name: string
  /** Five fields as in `0 3 * * *`, six with seconds in front, or a name such as `@daily`. */
  cron: string
  /** Name of the capability to run. */
  capability: string
  /** Its parameters. Default: an empty object. */
  params?: unknown
  /** IANA zone of the fields. Default UTC. */
  timeZone?: string
  /** What to do about times missed because no runner was alive: nothing, or one submission for all of them. Default `skip`. */
  missed?: 'skip' | 'once'
  /**
   * What to do when a time comes and the last operation has not ended: `allow` submits the next one anyway, `skip` does not.
   * Default `allow`.
   */
  overlap?: 'allow' | 'skip'
  /** Integer from -10 to 10; higher runs first. Default: the capability's. */
  priority?: number | undefined
  /** Whether it submits anything. Times that pass while it is off are not made up for. Default true. */
  enabled?: boolean
}

/** Zone of a schedule that names none. */
export const CRON_ZONE_DEFAULT = 'UTC'

/** Throws a {@link QueueError} for an invalid cron expression. */
export function timesOf({ name, cron, timeZone = CRON_ZONE_DEFAULT }: CronSchedule): CronTimes {
  try {
    return new CronTimes(cron, timeZone)
  } catch (error) {
    throw new QueueError('invalid', `schedule ${JSON.stringify(name)}: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** What a schedule submits, at any time. */
export function submissionOf({ name, capability, params, priority }: CronSchedule): Submission {
  return {
    capability,
    params,
    source: 'cron',
    context: { cron: name },
    ...present({ priority }),
  }
}
