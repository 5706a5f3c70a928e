import { z } from 'zod'
import { event } from '../../queue/operation-shape.ts'
import { daemonStatus } from '../../queue/status-shape.ts'
import { cancelReason } from '../../shape/failure.ts'
import { moment, numbers } from '../../shape/value.ts'

/** Most unknown failures in an overview. */
export const MOST_UNKNOWNS = 20
/** Most workflow runs searched for questions. */
export const MOST_RUNS = 20
/** Most unread notices about workflow runs read. */
export const MOST_NOTICES = 100
/** Most causes of unread notices in an overview. */
export const MOST_CAUSES = 12

/** Failed tries and ended operations, in steps of equal length. */
export const ends = z.object({
  from: moment,
  step_ms: z.number(),
  failures: z.record(z.string(), z.array(z.number())).describe('Failed tries by class, one number per step.'),
  kinds: numbers.describe('Failed tries by kind.'),
  succeeded: z.array(z.number()).describe('Operations that succeeded, one number per step.'),
  dead: numbers.describe('Operations that died, by `dead_as`.'),
})

/** Unread notices that need action. */
export const noticesToActOn = z.object({
  to_act_on: z.number(),
  causes: z.array(
    z.object({
      notice: z.string().describe('The newest of them; `like` of /v1/inbox/read takes it.'),
      event: z.string(),
      title: z.string(),
      count: z.number(),
      at: moment,
      operation: z.string().exactOptional().describe('The newest operation that they are about.'),
      dead_as: cancelReason.exactOptional().describe('How that one died.'),
      message: z.string().exactOptional().describe('Its last failure.'),
      filter: z
        .object({
          state: z.array(z.string()).exactOptional(),
          capability: z.array(z.string()).exactOptional(),
          provider: z.string().exactOptional(),
          class: z.string().exactOptional(),
          fingerprint: z.string().exactOptional(),
          as: z.string().exactOptional(),
        })
        .exactOptional()
        .describe('Finds all operations that died of the same.'),
    }),
  ),
  more_causes: z.number().describe(`Causes beyond the ${MOST_CAUSES} largest.`),
  failed_runs: z.array(
    z.object({ run: z.string(), workflow: z.string(), reason: z.string().exactOptional(), at: moment }),
  ),
})

/** The current state, what comes due when, and what needs a person. */
export const overview = z.object({
  at: moment,
  status: daemonStatus.describe('The same as /v1/status.'),
  agenda: z.object({
    from: moment,
    step_ms: z.number(),
    overdue: z.number(),
    due: z.array(z.number()).describe('How many operations come due in each step.'),
    later: z.number(),
    held: numbers.describe('Operations that are held, by provider.'),
    waiting: numbers.describe('Operations that come due later, by their only provider.'),
  }),
  unknowns: z
    .array(
      z.object({
        fingerprint: z.string(),
        provider: z.string().exactOptional(),
        count: z.number(),
        parked: z.number(),
        last_seen_at: moment,
        message: z.string(),
      }),
    )
    .describe(
      `Unknown failures without a label, at most ${MOST_UNKNOWNS}, newest first; "parked" is how many operations wait for the label now.`,
    ),
  questions: z
    .array(z.object({ run: z.string(), workflow: z.string(), step: z.string(), question: z.string() }))
    .describe(`Unanswered questions of workflow runs, of at most ${MOST_RUNS} runs.`),
  notices: noticesToActOn.describe(
    'Unread notices that need action: how many, by cause, and workflow runs that are still failed. What providers, unknowns and parked operations need is told there.',
  ),
  last_event: z.number(),
})

/** What happened to a provider. */
export const providerHistory = z.object({
  ...ends.omit({ succeeded: true, dead: true }).shape,
  changes: z.array(event.omit({ id: true })).describe('Blocked, freed, paused, resumed; the newest first.'),
  spent: z
    .array(z.object({ at: moment, usd: z.number(), tokens: z.number(), requests: z.number() }))
    .describe('What its quota spent, by the minute.'),
})
