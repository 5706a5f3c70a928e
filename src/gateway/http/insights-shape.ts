import { z } from 'zod'
import { event } from '../../queue/operation-shape.ts'
import { moment } from '../../shape/value.ts'

/** Most failures in an answer. */
export const MOST_FAILURES = 10
/** Most providers in an answer. */
export const MOST_PROVIDERS = 30

const perStep = (what: string) => z.array(z.number()).describe(`${what}, one number per step.`)
const lengths = (what: string) =>
  z
    .object({
      median: z.array(z.number().nullable()),
      p95: z.array(z.number().nullable()),
    })
    .describe(`${what}, in milliseconds, one number per step; null where no run ended.`)

/** How much was done over time, how long it took, what it cost, and what stood in the way. */
export const insights = z.object({
  from: moment,
  step_ms: z.number(),
  known_from: moment
    .exactOptional()
    .describe(
      'When the first counted event happened, if that is later than `from`: from before, nothing is known.',
    ),
  succeeded: perStep('Operations that succeeded'),
  dead: perStep('Operations that died'),
  running_ms: lengths('How long runs took'),
  waiting_ms: lengths('How long runs were due before they began'),
  cost_usd: perStep('What runs of operations cost, in US dollars'),
  failures: z
    .array(
      z.object({
        fingerprint: z.string(),
        class: z.string(),
        kind: z.string(),
        message: z
          .string()
          .exactOptional()
          .describe('Of the newest operation that failed with it, redacted.'),
        counts: perStep('Failed tries'),
      }),
    )
    .describe(`The ${MOST_FAILURES} most frequent failures, the most frequent first.`),
  providers: z
    .array(
      z.object({
        id: z.string(),
        changes: z
          .array(event.omit({ id: true }))
          .describe('Blocked, freed, paused, resumed; the newest first.'),
        throttled: perStep('Tries that were refused for a rate or a quota'),
      }),
    )
    .describe(`At most ${MOST_PROVIDERS}; those that something happened to come first.`),
})
