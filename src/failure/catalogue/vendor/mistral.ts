import { family } from '../rule.ts'

const flat = (code: string) => ({
  object: 'error',
  message: 'See the documentation.',
  type: 'invalid_request_error',
  param: null,
  code,
})

/** Mistral: numbers as strings, with types that say something else. */
export default family('mistral', {
  rate: {
    kind: 'rate_limit',
    why: 'the code for its rate limits, per second, minute or month',
    when: [
      { code: ['code=1300'], vendor: ['mistral'] },
      { code: ['code=1300'], also: ['type=rate_limited'] },
    ],
    example: flat('1300'),
    exampleProvider: 'mistral',
  },
  tier_full: {
    kind: 'overloaded',
    effect: 'none',
    rank: 'cause',
    why: 'the tier is at capacity; not a limit of ours',
    when: { code: ['code=3505'], vendor: ['mistral'] },
    example: flat('3505'),
    exampleProvider: 'mistral',
  },
})
