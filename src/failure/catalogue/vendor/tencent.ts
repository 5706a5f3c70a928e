import { family } from '../rule.ts'

const tencent = (Code: string) => ({
  Response: { Error: { Code, Message: 'See the documentation.' }, RequestId: 'x' },
})

/** Tencent Hunyuan: dotted codes in `Response.Error.Code`. */
export default family('tencent', {
  login: {
    kind: 'auth',
    rank: 'named',
    why: 'keys, signatures or the clock are refused',
    when: { says: ['auth failure'] },
    example: tencent('AuthFailure.SignatureExpire'),
    exampleReturned: true,
  },
  unsupported: {
    kind: 'invalid_request',
    why: 'not offered',
    when: { code: ['UnsupportedOperation'] },
    example: tencent('UnsupportedOperation'),
    exampleReturned: true,
  },
  spent: {
    kind: 'quota',
    why: 'a quota; the rate limit has a longer code',
    when: { code: ['LimitExceeded'] },
    example: tencent('LimitExceeded'),
    exampleReturned: true,
  },
  crowded: {
    kind: 'overloaded',
    effect: 'none',
    rank: 'cause',
    why: "the engine's limit, not the account's",
    when: { says: ['engine server limit exceeded'] },
    example: tencent('FailedOperation.EngineServerLimitExceeded'),
    exampleReturned: true,
  },
  money: {
    kind: 'billing',
    rank: 'cause',
    why: 'stopped for arrears, or the purchased package is used up',
    when: { says: ['service stop arrears', 'resource pack exhausted', 'charge resource exhausted'] },
    example: tencent('FailedOperation.ServiceStopArrears'),
    exampleReturned: true,
  },
})
