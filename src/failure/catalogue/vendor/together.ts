import { family } from '../rule.ts'
import { refused } from './example.ts'

/** Together AI. */
export default family('together', {
  dynamic_rate: {
    kind: 'rate_limit',
    rank: 'named',
    why: 'above the rate it currently grants',
    when: { says: ['dynamic (request|token) limited'] },
    example: { error: { message: 'See the documentation.', error_type: 'dynamic_token_limited' } },
  },
  too_long: {
    kind: 'context_overflow',
    rank: 'cause',
    why: 'a 403 that has nothing to do with rights: prompt and answer together do not fit',
    when: { says: ['(inputs|input|prompt) tokens max (new|) tokens (parameter|) must be'] },
    example: refused(403, { message: '`inputs` tokens + `max_new_tokens` must be <= 4097.' }),
  },
})
