import { family } from '../rule.ts'
import { refused } from './example.ts'

/** Moonshot and Kimi: types that say it, without codes. */
export default family('moonshot', {
  money: {
    kind: 'billing',
    rank: 'cause',
    why: 'quota in this type means the balance of the account',
    when: { says: ['exceeded current quota error'] },
    example: refused(429, { type: 'exceeded_current_quota_error' }),
  },
  membership: {
    kind: 'billing',
    rank: 'cause',
    why: 'the membership that pays for the calls could not be confirmed',
    when: {
      says: ['verify your membership', 'membership benefits … (expired|invalid|inactive|unavailable)'],
    },
    example: "We're unable to verify your membership benefits at this time",
  },
  day: {
    kind: 'quota',
    rank: 'cause',
    why: 'the tokens or requests of a day are used up; the type is that of the minute',
    when: { says: ['(organization|account|project) (tpd|rpd)', '(tpd|rpd) rate limit'] },
    example: refused(429, {
      type: 'rate_limit_reached_error',
      message: 'Your account request reached organization TPD rate limit, current: 1500, limit: 1000',
    }),
  },
  crowded: {
    kind: 'overloaded',
    effect: 'none',
    rank: 'cause',
    why: 'too many requests of everybody, not of ours',
    when: { says: ['(were|we are) receiving too many requests'] },
    example: refused(429, {
      message: "We're receiving too many requests at the moment. Please wait a moment and try again.",
    }),
  },
})
