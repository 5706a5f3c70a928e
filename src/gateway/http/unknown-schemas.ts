import { z } from 'zod'
import { LONGEST_LABEL_WAIT_MS } from '../../failure/label.ts'
import { failureKind } from '../../shape/failure.ts'
import { labelClass, labelEffect } from '../../unknown/unknown-shape.ts'
import type { Teaching } from '../../unknown/unknowns.ts'

/** The author of a label. */
export const who = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('The author. Default the user that runs the daemon.')

/** A label in a request. */
export const teaching = z.strictObject({
  class: labelClass,
  kind: failureKind.optional().describe('A kind of the class.'),
  effect: labelEffect.optional().describe('Whether the failed request may have taken effect.'),
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
  return { ...same, retryAfterMs, allProviders }
}
