import { family } from '../rule.ts'

const tencent = (Code: string) => ({
  Response: { Error: { Code, Message: 'See the documentation.' }, RequestId: 'x' },
})

/** Tencent Hunyuan: dotted words in `Response.Error.Code`. */
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
    why: 'a quota, while the rate has a longer name',
    when: { code: ['LimitExceeded'] },
    example: tencent('LimitExceeded'),
    exampleReturned: true,
  },
  crowded: {
    kind: 'overloaded',
    effect: 'none',
    rank: 'cause',
    why: 'the limit of the engine, not of the account',
    when: { says: ['engine server limit exceeded'] },
    example: tencent('FailedOperation.EngineServerLimitExceeded'),
    exampleReturned: true,
  },
  money: {
    kind: 'billing',
    rank: 'cause',
    why: 'stopped for arrears, or the package that was bought is empty',
    when: { says: ['service stop arrears', 'resource pack exhausted', 'charge resource exhausted'] },
    example: tencent('FailedOperation.ServiceStopArrears'),
    exampleReturned: true,
  },
})
