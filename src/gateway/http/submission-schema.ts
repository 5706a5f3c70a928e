import { z } from 'zod'
import { PRIORITY_LIMIT } from '../../ledger/operation.ts'
import type { Submission } from '../../queue/submission.ts'
import { given, instant, name } from './value-schemas.ts'

/** Milliseconds; no more than a timer of a hundred years needs. */
const milliseconds = z.int().min(1).max(3_155_760_000_000)

export const priority = z.int().min(-PRIORITY_LIMIT).max(PRIORITY_LIMIT)

/** An operation to be submitted. */
export const submission = z.strictObject({
  capability: name.describe('Name of the capability.'),
  params: given.optional().describe('Default none.'),
  at: instant.optional().describe('Run no earlier than this. Default at once.'),
  key: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('Idempotency key: the same key and parameters are the same operation, even after it ended.'),
  key_retention_ms: milliseconds
    .optional()
    .describe('How long the key stands after the end. Default 7 days.'),
  priority: priority.optional().describe("Higher first. Default the capability's."),
  providers: z.array(name).max(100).optional().describe("Who can serve it. Default the capability's."),
  session: z.string().min(1).max(500).optional().describe('The session that wants to hear how it ended.'),
  context: z.unknown().optional().describe('JSON of your own.'),
  max_retries: z.int().min(0).max(1_000_000).optional().describe('Retry limit.'),
  retry_for_ms: milliseconds.optional().describe('Stop retrying this long after the first failure.'),
  unchecked: z
    .boolean()
    .optional()
    .describe(
      'Store it although this daemon does not know the capability: nothing is checked, no secret sealed.',
    ),
})

/** A submission in the words of the queue. */
export function submissionOf(submitted: z.output<typeof submission>): Submission {
  const { capability, params, at, key, key_retention_ms, priority: first, providers } = submitted
  const { session, context, max_retries, retry_for_ms, unchecked } = submitted
  const made: Submission = { capability, params, source: 'http' }
  // One by one: in a batch, listing what was given took as long as checking it.
  if (at !== undefined) made.at = at
  if (key !== undefined) made.key = key
  if (key_retention_ms !== undefined) made.keyRetentionMs = key_retention_ms
  if (first !== undefined) made.priority = first
  if (providers !== undefined) made.providers = providers
  if (session !== undefined) made.session = session
  if (context !== undefined) made.context = context
  if (max_retries !== undefined) made.maxRetries = max_retries
  if (retry_for_ms !== undefined) made.retryForMs = retry_for_ms
  if (unchecked !== undefined) made.unchecked = unchecked
  return made
}
