import { family, type When } from '../rule.ts'
import type { Vendor } from '../vendor.ts'
import { answer, refused } from './example.ts'

/** Vendors that use four-digit codes for something else. */
const OTHERS: readonly Vendor[] = ['mistral', 'minimax', 'cloudflare', 'baidu', 'mysql']

const codes = (numbers: string) => numbers.split(' ').map(number => `code=${number}`)
const known = (numbers: string): When => ({ code: codes(numbers), vendor: ['zhipu'] })
/** With a 429, the numbers from 1100 on are recognised by shape too: no other vendor has such codes there. */
const limited = (numbers: string): When[] => [
  known(numbers),
  { code: codes(numbers), status: [429], notVendor: OTHERS },
]

/** Zhipu and Z.ai: four-digit codes in `error.code`, most with a 429 that means little. */
export default family('zhipu', {
  login: {
    kind: 'auth',
    why: 'the key is missing, wrong or expired',
    when: { ...known('1000 1001 1002 1003 1004 1005'), unless: ['websocket', 'going away'] },
    example: { error: { code: '1002', message: 'See the documentation.' } },
    exampleProvider: 'zai',
  },
  account: {
    kind: 'forbidden',
    scope: 'account',
    rank: 'cause',
    why: 'the account is inactive or locked, which waiting does not fix although the status is 429',
    when: limited('1110 1111 1112 1121'),
    example: refused(429, { code: '1112' }),
  },
  money: {
    kind: 'billing',
    rank: 'cause',
    why: 'the account is in arrears, or the plan has run out',
    when: [
      ...limited('1113 1309'),
      { says: ['plan package has expired', 'after renewing the subscription'] },
    ],
    example: refused(429, { code: '1113' }),
  },
  account_unreadable: {
    kind: 'server_error',
    rank: 'cause',
    why: 'it cannot look up the account right now, or the call failed internally',
    when: [...limited('1120'), known('1200 1230 1234')],
    example: refused(429, { code: '1120' }),
  },
  request: {
    kind: 'invalid_request',
    why: 'parameters or address are wrong',
    when: known('1210 1212 1213 1214 1215 1222'),
    example: { error: { code: '1214', message: 'See the documentation.' } },
    exampleProvider: 'zai',
  },
  model: {
    kind: 'model_not_found',
    rank: 'cause',
    why: 'the model does not exist or was withdrawn',
    when: known('1211 1221'),
    example: refused(400, { code: '1211' }),
    exampleProvider: 'zai',
  },
  no_right: {
    kind: 'forbidden',
    rank: 'cause',
    why: 'the key may not use this, or the plan does not have this model',
    when: [
      known('1220'),
      ...limited('1311'),
      { status: [434], vendor: ['zhipu'] },
      { says: ['plan does not (yet|) include access'] },
    ],
    example: refused(429, { code: '1311' }),
  },
  duplicate: {
    class: 'permanent',
    kind: 'conflict',
    effect: 'maybe',
    why: 'the request id was already used: an earlier try arrived',
    when: known('1231'),
    example: refused(400, { code: '1231' }),
    exampleProvider: 'zai',
  },
  too_long: {
    kind: 'context_overflow',
    rank: 'cause',
    why: 'the prompt is too long',
    when: known('1261'),
    example: refused(400, { code: '1261' }),
    exampleProvider: 'zai',
  },
  too_large: {
    kind: 'request_too_large',
    rank: 'named',
    why: 'its 435: a file is too large',
    when: { status: [435], vendor: ['zhipu'] },
    example: answer(435),
    exampleProvider: 'zai',
  },
  policy: {
    kind: 'content_policy',
    rank: 'cause',
    why: 'a policy stopped the text',
    when: known('1300 1301'),
    example: refused(400, { code: '1301' }),
    exampleProvider: 'zai',
  },
  rate: {
    kind: 'rate_limit',
    why: 'too many concurrent or frequent requests, or slowed down for the usage pattern',
    when: limited('1302 1303 1313'),
    example: { error: { code: '1303', message: 'See the documentation.' } },
    exampleProvider: 'zai',
  },
  day: {
    kind: 'quota',
    rank: 'cause',
    why: "the day's calls are used up",
    when: [...limited('1304'), { says: ['今日调用次数'] }],
    example: refused(429, { code: '1304' }),
  },
  crowded: {
    kind: 'overloaded',
    effect: 'none',
    rank: 'cause',
    why: 'the model has too much traffic from all customers',
    when: [...limited('1305 1312'), { says: ['当前api请求过多'] }],
    example: refused(429, { code: '1305' }),
  },
  plan_window: {
    kind: 'usage_limit',
    rank: 'cause',
    why: "the plan's window of five hours, a week or a month is used up",
    when: limited('1308 1310'),
    example: refused(429, { code: '1308' }),
  },
})
