import { family } from '../rule.ts'
import { answer } from './example.ts'

/** Cohere: one `message` and statuses of its own. */
export default family('cohere', {
  prompt_too_long: {
    kind: 'context_overflow',
    rank: 'cause',
    why: '"too many tokens" is about this one prompt here, not about a minute',
    when: { says: ['too many tokens … (prompt|cannot exceed)', 'too many tokens size limit exceeded'] },
    example: answer(400, {
      message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.',
    }),
  },
  deny_list: {
    kind: 'content_policy',
    rank: 'cause',
    why: 'its invalid token is a word that must not be written, not a key',
    when: [
      { status: [498], vendor: ['cohere'] },
      { says: ['invalid token'], status: [498], vendor: ['cohere'] },
      { code: ['InvalidTokenError'], status: [498] },
    ],
    example: answer(498, { message: 'invalid token' }),
    exampleProvider: 'cohere',
  },
  month: {
    kind: 'quota',
    rank: 'cause',
    why: 'the calls of a month are used up; the sentence differs from that of the minute by one word',
    when: { says: ['(api|) calls month'] },
    example: answer(429, {
      message: 'You are using a Trial key, which is limited to 1000 API calls / month.',
    }),
  },
  stream_fault: {
    kind: 'stream_cut',
    rank: 'said',
    why: 'a 499 that the server caused',
    when: { says: ['streaming error'], status: [499] },
    example: answer(499, { message: 'streaming error - scroll down for more streaming errors' }),
  },
})
