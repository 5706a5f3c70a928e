import { z } from 'zod'
import { HISTORY_MS, SLICE_MS, type Stretch } from './history.ts'

/** Steps of history in an answer. */
export const STEPS = 60
export const HOUR_MS = 3_600_000

/** How far back a question about history reaches. */
export const span = z
  .int()
  .min(STEPS * SLICE_MS)
  .max(HISTORY_MS)
  .optional()
  .describe('How far back, in milliseconds, from 10 minutes to a week. Default one hour.')

/** The steps of such a span. */
export function stretchOf(spanMs: number): Stretch {
  return { stepMs: Math.ceil(spanMs / STEPS / SLICE_MS) * SLICE_MS, steps: STEPS }
}
