import { family } from '../rule.ts'
import { refused } from './example.ts'

const codes = (numbers: string) => numbers.split(' ').map(number => `error_code=${number}`)
const baidu = (error_code: number) => ({ error_code, error_msg: 'See the documentation.' })

/** Baidu's Qianfan: numbers in `error_code`. Small ones count only if Baidu is known. */
export default family('baidu', {
  server: {
    kind: 'server_error',
    why: 'an unknown, unavailable or internal error',
    when: [{ code: codes('1 2'), vendor: ['baidu'] }, { code: codes('336000 336100') }],
    example: baidu(336000),
    exampleReturned: true,
  },
  crowded: {
    kind: 'overloaded',
    effect: 'none',
    why: 'the limit of the whole cluster',
    when: { code: codes('4'), vendor: ['baidu'] },
    example: baidu(4),
    exampleProvider: 'baidu',
    exampleReturned: true,
  },
  rate: {
    kind: 'rate_limit',
    why: 'too many requests per second or minute',
    when: [{ code: codes('18'), vendor: ['baidu'] }, { code: codes('336501 336502') }],
    example: baidu(336501),
    exampleReturned: true,
  },
  spent: {
    kind: 'quota',
    why: 'the calls of the day or of the package are used up',
    when: { code: codes('17 19'), vendor: ['baidu'] },
    example: baidu(17),
    exampleProvider: 'baidu',
    exampleReturned: true,
  },
  login: {
    kind: 'auth',
    why: 'the token or app is missing, wrong or expired',
    when: { code: codes('3 6 13 14 15 100 110 111'), vendor: ['baidu'] },
    example: baidu(111),
    exampleProvider: 'baidu',
    exampleReturned: true,
  },
  request: {
    kind: 'invalid_request',
    why: 'the body is wrong',
    when: { code: codes('336001 336002 336003 336004 336005 336006 336104 336105') },
    example: baidu(336003),
    exampleReturned: true,
  },
  too_long: {
    kind: 'context_overflow',
    rank: 'cause',
    why: 'the messages are too long',
    when: { code: codes('336007 336103') },
    example: baidu(336007),
    exampleReturned: true,
  },
  policy: {
    kind: 'content_policy',
    rank: 'cause',
    why: 'its type for a refused text',
    when: { code: ['unsafe_request'] },
    example: refused(400, { type: 'unsafe_request', code: 'x' }),
  },
  daily: {
    kind: 'quota',
    rank: 'cause',
    why: "a user's daily quota",
    when: { says: ['quota user daily'] },
    example: refused(429, { code: 'QUOTA_USER_DAILY_QUERY' }),
  },
})
