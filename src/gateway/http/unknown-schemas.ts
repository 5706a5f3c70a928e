import { z } from 'zod'
import { ALL_KINDS } from '../../failure/failure.ts'
import { LABEL_CLASSES, LONGEST_LABEL_WAIT_MS } from '../../failure/label.ts'
import type { Teaching } from '../../unknown/unknowns.ts'
import { moment, numbers } from './value-schemas.ts'

const classes = z.enum(LABEL_CLASSES as [string, ...string[]])
const kinds = z.enum(ALL_KINDS as [string, ...string[]])
const effects = z.enum(['none', 'maybe'])
const count = z.number()

/** An unknown failure, once per fingerprint and provider. */
export const unknown = z.object({
  fingerprint: z.string(),
  provider: z.string().nullable(),
  count: count.describe('How often it was seen.'),
  outcomes: numbers.describe('How often each outcome followed.'),
  first_seen_at: moment,
  last_seen_at: moment,
  models: z.array(z.string()),
  samples: z.array(z.object({ at: moment, message: z.string(), operation: z.string().nullable() })),
  escalated_at: moment.nullable().describe('When people were notified.'),
})

/** A label of a failure. */
export const label = z.object({
  id: z.string(),
  fingerprint: z.string(),
  provider: z.string().nullable().describe('Null: all providers.'),
  class: classes,
  kind: kinds.nullable(),
  effect: effects.nullable(),
  retry_after_ms: z.number().nullable(),
  signature: z.string().nullable().describe('The pattern that recognises further failures.'),
  who: z.string(),
  why: z.string().nullable(),
  at: moment,
  withdrawn_at: moment.optional(),
  withdrawn_by: z.string().optional(),
  replaced_by: z.string().optional(),
})

/** A backtest report. */
export const backtest = z.object({
  failures: count.describe('Failures that were tried.'),
  matched: count,
  flips: count.describe('Right classifications that would become wrong.'),
  changes: z.array(
    z.object({
      from: z.string(),
      to: z.string(),
      count,
      is_flip: z.boolean(),
      examples: z.array(z.string()),
    }),
  ),
})

/** The author of a label. */
export const who = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('The author. Default the user that runs the daemon.')

/** A label in a request. */
export const teaching = z.strictObject({
  class: classes,
  kind: kinds.optional().describe('A kind of the class.'),
  effect: effects.optional().describe('Whether the failed request may have taken effect.'),
  retry_after_ms: z
    .int()
    .min(0)
    .max(LONGEST_LABEL_WAIT_MS)
    .optional()
    .describe('Wait this long if the failure states no time; for throttle and transient.'),
  all_providers: z
    .boolean()
    .optional()
    .describe('Apply it to every provider. Default only those that the failure came from.'),
  pattern: z
    .union([z.string().min(1).max(1000), z.literal(false)])
    .optional()
    .describe('The signature; false for none. Default the proposed one.'),
})

/** The internal form of a label in a request. */
export function teachingOf(given: z.output<typeof teaching>): Omit<Teaching, 'who'> {
  const { retry_after_ms: retryAfterMs, all_providers: allProviders, ...same } = given
  return { ...same, retryAfterMs, allProviders } as Omit<Teaching, 'who'>
}
