import { z } from 'zod'
import { PRIORITY_LIMIT } from '../../ledger/operation.ts'
import type { Submission } from '../../queue/submission.ts'
import { given, instant, name } from './value-schemas.ts'

/** Milliseconds, up to a hundred years. */
const milliseconds = z.int().min(1).max(3_155_760_000_000)

export const priority = z.int().min(-PRIORITY_LIMIT).max(PRIORITY_LIMIT)

/** Longest key, and longest name of a session, in characters. */
export const LONGEST_KEY = 500

/** An operation to submit. */
export const submission = z.strictObject({
  capability: name.describe('Name of the capability.'),
  params: given.optional().describe('Default none.'),
  at: instant.optional().describe('Run no earlier than this. Default at once.'),
  key: z
    .string()
    .min(1)
    .max(LONGEST_KEY)
    .optional()
    .describe('Idempotency key: the same key and parameters are the same operation, even after it ended.'),
  key_retention_ms: milliseconds
    .optional()
    .describe('How long the key stays reserved after the operation ends. Default 7 days.'),
  priority: priority.optional().describe("Higher first. Default the capability's."),
  providers: z
    .array(name)
    .max(100)
    .optional()
    .describe("The providers that can serve it. Default the capability's."),
  session: z.string().min(1).max(LONGEST_KEY).optional().describe('The session to notify.'),
  context: z.unknown().optional().describe('Any JSON, stored with the operation.'),
  max_retries: z.int().min(0).max(1_000_000).optional().describe('Retry limit.'),
  retry_for_ms: milliseconds.optional().describe('Stop retrying this long after the first failure.'),
  unchecked: z
    .boolean()
    .optional()
    .describe(
      'Store it even if this daemon does not have the capability: parameters are not checked, and secrets not encrypted.',
    ),
})

/** The queue's form of a submission. */
export function submissionOf(submitted: z.output<typeof submission>): Submission {
  const { capability, params, at, key, key_retention_ms, priority: first, providers } = submitted
  const { session, context, max_retries, retry_for_ms, unchecked } = submitted
  const made: Submission = { capability, params, source: 'http' }
  // Field by field, because filtering a list of entries took as long as checking a batch.
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
