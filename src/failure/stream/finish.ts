import { isBadFinish, isBadStop } from '../observe/model-answer.ts'

/** What can be special about a complete answer. */
export const FINISH_REMARKS = ['length', 'filtered', 'empty', 'schema'] as const

export type FinishRemark = (typeof FINISH_REMARKS)[number]

/** What is special about an answer that is complete, but not as the model would have ended it. */
export interface Finish {
  /**
   * `length`: cut at the limit of output tokens. `filtered`: refused by the model or cut by a filter. `empty`: without a word.
   * `schema`: not in the form that was asked for.
   */
  as: FinishRemark
  /** The vendor's own word: `max_tokens`, `content_filter`, `SAFETY` … */
  reason: string
}

/** What a vendor's word for the end of an answer means. `failed`: there is no answer. */
export type FinishMeaning = 'stop' | 'length' | 'filtered' | 'failed'

const LENGTH = new Set([
  ...['length', 'max_tokens', 'max_output_tokens', 'max_completion_tokens', 'model_length', 'error_limit'],
  'model_context_window_exceeded',
])

const FILTERED = new Set([
  ...['refusal', 'content_filter', 'content-filter', 'content_filtered', 'guardrail_intervened', 'sensitive'],
  ...[
    'error_toxic',
    'safety',
    'recitation',
    'blocklist',
    'prohibited_content',
    'spii',
    'language',
    'blocked',
  ],
  ...['image_safety', 'image_prohibited_content', 'image_recitation', 'jailbreak', 'model_armor'],
])

/** Words that only the Gemini API writes in capitals, for an answer that cannot be used. */
const FAILED_OF_GEMINI = new Set([
  ...['OTHER', 'MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'IMAGE_OTHER', 'NO_IMAGE'],
  ...['TOO_MANY_TOOL_CALLS', 'MISSING_THOUGHT_SIGNATURE', 'MALFORMED_RESPONSE'],
])

export function meaningOfFinish(reason: string): FinishMeaning {
  const word = reason.toLowerCase()
  if (LENGTH.has(word)) return 'length'
  if (FILTERED.has(word)) return 'filtered'
  return isBadFinish(word) || isBadStop(word) || FAILED_OF_GEMINI.has(reason) ? 'failed' : 'stop'
}

/** The remark on an answer that ended with this word; undefined if it ended as it should, or is none. */
export function finishFrom(reason: string): Finish | undefined {
  const as = meaningOfFinish(reason)
  return as === 'length' || as === 'filtered' ? { as, reason } : undefined
}
