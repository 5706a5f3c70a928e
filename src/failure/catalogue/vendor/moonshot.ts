import { family } from '../rule.ts'
import { refused } from './example.ts'

/** Moonshot and Kimi: telling types, without codes. */
export default family('moonshot', {
  money: {
    kind: 'billing',
    rank: 'cause',
    why: `"quota" in this type means the account's balance`,
    when: { says: ['exceeded current quota error'] },
    example: refused(429, { type: 'exceeded_current_quota_error' }),
  },
  membership: {
    kind: 'billing',
    rank: 'cause',
    why: 'the membership that covers the calls could not be confirmed',
    when: {
      says: ['verify your membership', 'membership benefits … (expired|invalid|inactive|unavailable)'],
    },
    example: "We're unable to verify your membership benefits at this time",
  },
  day: {
    kind: 'quota',
    rank: 'cause',
    why: "the day's tokens or requests are used up; the type is the per-minute one",
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
    why: 'too many requests from all customers, not from us',
    when: { says: ['(were|we are) receiving too many requests'] },
    example: refused(429, {
      message: "We're receiving too many requests at the moment. Please wait a moment and try again.",
    }),
  },
})
