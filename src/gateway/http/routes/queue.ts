import { z } from 'zod'
import { present } from '../../../failure/present.ts'
import { checkCapabilityName } from '../../../queue/known-capability.ts'
import { retentionPolicy } from '../../../queue/retention.ts'
import { daemonStatus, pauses } from '../../../queue/status-shape.ts'
import { daemonStatusOf } from '../daemon-status.ts'
import { inForce } from '../facilities.ts'
import { type Route, route } from '../route.ts'
import { name } from '../value-schemas.ts'

const status = route({
  method: 'get',
  path: '/v1/status',
  id: 'getStatus',
  summary: 'The queue, its runners, schedules and providers',
  demand: 'look',
  answers: {
    200: {
      description: 'The state of everything',
      schema: daemonStatus,
    },
  },
  async run(_call, facilities) {
    return { json: (await daemonStatusOf(facilities)).json }
  },
})

const changing = (action: 'pause' | 'resume') =>
  route({
    method: 'post',
    path: `/v1/queue/${action}`,
    id: `${action}Queue`,
    summary:
      action === 'pause'
        ? 'Start nothing new, in any process; running operations continue, new ones wait'
        : 'Start operations again',
    demand: 'change',
    body: z.strictObject({ capability: name.optional().describe('Only its operations. Default all.') }),
    bodyOptional: true,
    answers: { 200: { description: 'What is paused now', schema: z.object({ paused: pauses }) } },
    async run({ body: { capability } }, facilities) {
      const { queue } = inForce(facilities)
      if (capability !== undefined) await checkCapabilityName(queue, capability)
      await queue[action](capability === undefined ? { queue: true } : { capability })
      return { json: { paused: await queue.engine.pauses() } }
    },
  })

const age = (what: string) =>
  z
    .int()
    .min(0)
    .max(3_155_760_000_000)
    .optional()
    .describe(`Delete ${what} older than this, in milliseconds. Default the config's.`)

const prune = route({
  method: 'post',
  path: '/v1/prune',
  id: 'prune',
  summary: 'Delete old history now, as the daemon does every hour',
  demand: 'change',
  body: z.strictObject({
    succeeded_ms: age('succeeded operations'),
    dead_ms: age('dead operations'),
    events_ms: age('events of the queue and of providers'),
    workflows_ms: age('ended workflow runs'),
  }),
  bodyOptional: true,
  answers: {
    200: {
      description: 'How much was deleted',
      schema: z.object({
        succeeded: z.number(),
        dead: z.number(),
        events: z.number(),
        notices: z.number(),
        workflows: z.number(),
        files: z.number().describe('Result files.'),
        freed_bytes: z.number().describe('Given back to the disk.'),
      }),
    },
  },
  async run({ body }, facilities) {
    const { queue, loaded } = inForce(facilities)
    const given = {
      succeededAfterMs: body.succeeded_ms,
      deadAfterMs: body.dead_ms,
      eventsAfterMs: body.events_ms,
      workflowsAfterMs: body.workflows_ms,
    }
    const policy = { ...(await retentionPolicy(facilities.ledger, loaded.config)), ...present(given) }
    // Continues even if the client disconnects: deleting half is of no use.
    const { freedBytes, ...deleted } = await queue.prune(policy)
    return { json: { ...deleted, freed_bytes: freedBytes } }
  },
})

/** The queue as a whole. */
export const queueRoutes: readonly Route[] = [status, changing('pause'), changing('resume'), prune]
