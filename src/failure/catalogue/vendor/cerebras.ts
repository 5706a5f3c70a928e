import { family } from '../rule.ts'
import { answer } from './example.ts'

/** Cerebras. */
export default family('cerebras', {
  queue_full: {
    kind: 'overloaded',
    effect: 'none',
    rank: 'cause',
    why: 'a 429 for a queue shared by all customers',
    when: { says: ['queue exceeded'] },
    example: answer(429, {
      message: 'See the documentation.',
      type: 'too_many_requests_error',
      param: 'queue',
      code: 'queue_exceeded',
    }),
  },
})
