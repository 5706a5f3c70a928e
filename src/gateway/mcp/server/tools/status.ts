import { z } from 'zod'
import { scheduleStatuses } from '../../../../queue/cron-status.ts'
import { scheduleToJson, statusToJson } from '../../../../queue/status-json.ts'
import { numbers, object } from '../../../../shape/value.ts'
import { inForce } from '../../../http/facilities.ts'
import { tool } from '../tool.ts'
import { unreadOf } from '../unread.ts'

/** The queue, its runners and the providers. */
export const status = tool({
  name: 'status',
  title: 'Queue and providers',
  description:
    'How many operations are queued, running, parked or dead; which providers can be used now, and when the others can; whether a runner is alive; the name of your session.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.looseObject({
    session: z.string().nullable(),
    inbox_unread: z.number().optional(),
    retry_queue: z.looseObject({ queued: z.number() }),
    due: z.number(),
    held: z.number(),
    running: z.number(),
    parked: z.looseObject({ total: z.number(), for: numbers }),
    succeeded: z.number(),
    dead: z.number(),
    dead_as: numbers,
    paused: object,
    providers: z.array(object),
    runners: z.array(object),
    schedules: z.array(object),
  }),
  async run(_given, { session }, { facilities }) {
    const { queue, loaded } = inForce(facilities)
    const { ledger, time, folder } = facilities
    const [found, schedules, unread] = await Promise.all([
      queue.status(),
      scheduleStatuses(ledger, loaded.config.schedules, time.now()),
      unreadOf(facilities, session),
    ])
    return {
      json: {
        session: session ?? null,
        ...unread,
        ...statusToJson(found),
        schedules: schedules.map(scheduleToJson),
        data: folder,
      },
    }
  },
})
