import { family } from '../rule.ts'
import { answer } from './example.ts'

/** Cohere: one `message`, and its own statuses. */
export default family('cohere', {
  deny_list: {
    kind: 'content_policy',
    rank: 'cause',
    why: 'its "invalid token" is a disallowed word in the text, not a key',
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
    why: "the month's calls are used up; the message differs from the per-minute one by one word",
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
