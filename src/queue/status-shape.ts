import { z } from 'zod'
import { spend } from '../ledger/bill-shape.ts'
import { provider } from '../shape/provider.ts'
import { moment, numbers, oneOf } from '../shape/value.ts'

/** A schedule. */
export const schedule = z.object({
  name: z.string(),
  capability: z.string(),
  cron: z.string(),
  time_zone: z.string(),
  enabled: z.boolean(),
  next_at: moment.nullable().describe('Null if it is off or paused.'),
  paused: z
    .object({ at: moment, by: z.string().exactOptional(), reason: z.string().exactOptional() })
    .nullable()
    .describe('Since when and by whom it is paused; null if it is not.'),
  last: z
    .object({
      at: moment,
      did: oneOf(['begun', 'submitted', 'missed', 'overlapped', 'refused', 'off']),
      operation: z.string().exactOptional(),
    })
    .nullable(),
})

/** What is paused. */
export const pauses = z.object({
  queue: z.boolean(),
  capabilities: z.array(z.string()),
  providers: z.array(z.string()),
})

/** The state of the queue. */
export const queueStatus = z.object({
  retry_queue: z.object({
    queued: z.number(),
    next_retry_at: moment.exactOptional(),
    exhausted: z.number().exactOptional(),
  }),
  due: z.number(),
  held: z.number(),
  running: z.number(),
  parked: z.object({ total: z.number(), for: numbers }),
  succeeded: z.number(),
  dead: z.number(),
  dead_as: numbers,
  paused: pauses,
  providers: z.array(provider),
  runners: z.array(
    z.object({
      id: z.string(),
      label: z.string().exactOptional(),
      capabilities: z.array(z.string()),
      started_at: moment,
      seen_at: moment,
      running: z
        .array(z.object({ operation: z.string(), capability: z.string() }))
        .describe('What it runs now; at most 100 operations of all runners.'),
    }),
  ),
})

/** The state of everything that a daemon runs. */
export const daemonStatus = queueStatus.extend({
  schedules: z.array(schedule),
  proxy: z
    .object({ url: z.string(), holds: z.number().describe('Questions that wait for a provider.') })
    .nullable()
    .describe('The model proxy of the data folder; null if none runs.'),
  spent_today: z.array(spend).describe('By client, session and model, the largest first, at most 50.'),
  data: z.string().describe('The data folder.'),
})
