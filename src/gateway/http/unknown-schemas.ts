import { z } from 'zod'
import { ALL_KINDS } from '../../failure/failure.ts'
import { LABEL_CLASSES, LONGEST_LABEL_WAIT_MS } from '../../failure/label.ts'
import type { Teaching } from '../../unknown/unknowns.ts'
import { moment, numbers } from './value-schemas.ts'

const classes = z.enum(LABEL_CLASSES as [string, ...string[]])
const kinds = z.enum(ALL_KINDS as [string, ...string[]])
const effects = z.enum(['none', 'maybe'])
const count = z.number()

/** A failure that nobody knows, once per fingerprint and provider. */
export const unknown = z.object({
  fingerprint: z.string(),
  provider: z.string().nullable(),
  count: count.describe('How often it was seen.'),
  outcomes: numbers.describe('How often which outcome followed.'),
  first_seen_at: moment,
  last_seen_at: moment,
  models: z.array(z.string()),
  samples: z.array(z.object({ at: moment, message: z.string(), operation: z.string().nullable() })),
  escalated_at: moment.nullable().describe('When people were told.'),
})

/** What a person said that a failure is. */
export const label = z.object({
  id: z.string(),
  fingerprint: z.string(),
  provider: z.string().nullable().describe('Null: it holds for all.'),
  class: classes,
  kind: kinds.nullable(),
  effect: effects.nullable(),
  retry_after_ms: z.number().nullable(),
  signature: z.string().nullable().describe('The pattern that recognises the next one.'),
  who: z.string(),
  why: z.string().nullable(),
  at: moment,
  withdrawn_at: moment.optional(),
  withdrawn_by: z.string().optional(),
  replaced_by: z.string().optional(),
})

/** What signatures would change. */
export const backtest = z.object({
  failures: count.describe('Failures that were looked at.'),
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

/** Who says so, as callers may give it. */
export const who = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Who says so. Default the user that the daemon runs as.')

/** What a label says, as a caller gives it. */
export const teaching = z.strictObject({
  class: classes,
  kind: kinds.optional().describe('One that occurs under the class.'),
  effect: effects.optional().describe('Whether the failed request may have done something.'),
  retry_after_ms: z
    .int()
    .min(0)
    .max(LONGEST_LABEL_WAIT_MS)
    .optional()
    .describe('Wait this long where the failure does not say; for throttle and transient.'),
  all_providers: z.boolean().optional().describe('For every provider. Default those that it came from.'),
  pattern: z
    .union([z.string().min(1).max(1000), z.literal(false)])
    .optional()
    .describe('The signature; false for none. Default the proposed one.'),
})

/** A label in the words of those who teach. */
export function teachingOf(given: z.output<typeof teaching>): Omit<Teaching, 'who'> {
  const { retry_after_ms: retryAfterMs, all_providers: allProviders, ...same } = given
  return { ...same, retryAfterMs, allProviders } as Omit<Teaching, 'who'>
}
