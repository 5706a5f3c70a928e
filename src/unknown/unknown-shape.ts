import { z } from 'zod'
import { LABEL_CLASSES } from '../failure/label.ts'
import { failureClass, failureKind } from '../shape/failure.ts'
import { moment, numbers, oneOf } from '../shape/value.ts'

/** The class that a label gives. */
export const labelClass = oneOf(LABEL_CLASSES)
/** The effect that a label gives. */
export const labelEffect = oneOf(['none', 'maybe'])

/** An unknown failure, once per fingerprint and provider. */
export const unknown = z.object({
  fingerprint: z.string(),
  provider: z.string().nullable(),
  count: z.number().describe('How often it was seen.'),
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
  class: labelClass,
  kind: failureKind.nullable(),
  effect: labelEffect.nullable(),
  retry_after_ms: z.number().nullable(),
  signature: z.string().nullable().describe('The pattern that recognises further failures.'),
  who: z.string(),
  why: z.string().nullable(),
  at: moment,
  withdrawn_at: moment.exactOptional(),
  withdrawn_by: z.string().exactOptional(),
  replaced_by: z.string().exactOptional(),
})

/** A backtest report. */
export const backtest = z.object({
  failures: z.number().describe('Failures that were tried.'),
  matched: z.number(),
  flips: z.number().describe('Right classifications that would become wrong.'),
  changes: z.array(
    z.object({
      from: failureClass,
      to: failureClass,
      count: z.number(),
      examples: z.array(z.string()),
      is_flip: z.boolean(),
    }),
  ),
})

/** The effect that a label would have, or had. */
export const taught = z.object({
  fingerprint: z.string(),
  given: z.boolean(),
  labels: z.array(z.string()).exactOptional().describe('Ids of the labels, once given.'),
  signature: z.string().nullable().describe('The pattern of the label.'),
  parked: z.number().describe('Number of parked operations that continue as the label says.'),
  backtest,
})

/** Everything about one fingerprint. */
export const unknownDetails = z.object({
  fingerprint: z.string(),
  unknowns: z.array(unknown).describe('One per provider that it came from.'),
  labels: z.array(label),
  parked: z.number().describe('Number of operations that wait for a label.'),
  proposed_signature: z.string().nullable(),
  no_signature_because: z.string().nullable(),
  suggestions: z.array(z.object({ similarity: z.number(), label })),
})
