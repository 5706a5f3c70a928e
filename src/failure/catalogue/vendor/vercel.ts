import { family } from '../rule.ts'
import { thrown } from './example.ts'

/** Vercel's AI Gateway. */
export default family('vercel', {
  bad_answer: {
    kind: 'server_error',
    rank: 'hint',
    why: 'the gateway could not read what came back',
    when: { code: ['GatewayResponseError'] },
    example: thrown('GatewayResponseError'),
  },
})
