import { family } from '../rule.ts'
import { answer } from './example.ts'

/** Statuses that only some vendors define. Where the vendor is unknown, they are refusals and no more. */
export default family('gateway', {
  odd_status: {
    kind: 'invalid_request',
    rank: 'last',
    why: 'a status with a meaning of its own at a few vendors, and this is none of them',
    when: { status: [424, 434, 435, 498] },
    example: answer(498),
  },
})
