import { family } from '../rule.ts'

const codes = (numbers: string) => numbers.split(' ').map(number => `status_code=${number}`)
const base = (status_code: number, status_msg = 'See the documentation.') => ({
  base_resp: { status_code, status_msg },
})

/** MiniMax: HTTP 200 and a number in `base_resp.status_code`, which is not an HTTP status despite its name. */
export default family('minimax', {
  server: {
    kind: 'server_error',
    why: 'an internal or upstream failure',
    when: { code: codes('1000 1024 1033') },
    example: base(1024),
    exampleReturned: true,
  },
  timeout: {
    kind: 'timeout',
    why: 'the request took too long',
    when: { code: codes('1001') },
    example: base(1001),
    exampleReturned: true,
  },
  rate: {
    kind: 'rate_limit',
    why: 'too many requests, a too steep increase, or too many tokens per minute',
    when: { code: codes('1002 1039 1041 2045') },
    example: base(1002),
    exampleReturned: true,
  },
  login: {
    kind: 'auth',
    why: 'the key is wrong or belongs to another group',
    when: { code: codes('1004 2049') },
    example: base(1004),
    exampleReturned: true,
  },
  money: {
    kind: 'billing',
    rank: 'cause',
    why: 'the balance is used up',
    when: { code: codes('1008') },
    example: base(1008),
    exampleReturned: true,
  },
  input_policy: {
    kind: 'content_policy',
    rank: 'cause',
    why: 'the input is refused for its content',
    when: { code: codes('1026') },
    example: base(1026),
    exampleReturned: true,
  },
  output_policy: {
    kind: 'content_policy',
    effect: 'maybe',
    rank: 'cause',
    why: 'the answer was generated and withheld',
    when: { code: codes('1027') },
    example: base(1027),
    exampleReturned: true,
  },
  request: {
    kind: 'invalid_request',
    why: 'parameters, characters or voices that it does not accept',
    when: { code: codes('1042 2013 2037 2038 2039 2040 2041 2042 2043 2044 2046 2047 2048') },
    example: base(2013),
    exampleReturned: true,
  },
  plan_window: {
    kind: 'usage_limit',
    rank: 'cause',
    why: 'the hours of the token plan are used up',
    when: { code: codes('2056') },
    example: base(2056),
    exampleReturned: true,
  },
})
