import { z } from 'zod'
import { OPERATION_STATES } from '../ledger/operation.ts'
import { moment, numbers, oneOf } from '../shape/value.ts'

/** What can be done to many operations. */
export const bulkAction = oneOf(['retry', 'cancel', 'discard'])
/** What would happen to an operation. */
export const bulkOutcome = oneOf([
  'cancelled',
  'requested',
  'revived',
  'unparked',
  'hastened',
  'discarded',
  'none',
])

/** What an action on many operations would do. */
export const preview = z.object({
  action: bulkAction,
  total: z.number(),
  counts: numbers,
  needs_person: z
    .number()
    .exactOptional()
    .describe('How many may already have taken effect, which nothing can check. Default 0.'),
  operations: z.array(
    z.object({
      id: z.string(),
      capability: z.string(),
      state: z.enum(OPERATION_STATES),
      outcome: bulkOutcome,
      needs_person: z.string().exactOptional().describe('Why only a person may run it again.'),
    }),
  ),
})

/** A preview that can be applied once. */
export const keptPreview = z.object({ token: z.string(), expires_at: moment, ...preview.shape })
