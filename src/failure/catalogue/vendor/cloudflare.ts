import { family, type When } from '../rule.ts'
import { answer } from './example.ts'

/** The numbers count if Cloudflare is known, or in the field that only its gateway has. */
const numbered = (numbers: string): When[] => [
  { code: numbers.split(' ').map(number => `code=${number}`), vendor: ['cloudflare'] },
  { code: numbers.split(' ').map(number => `internal_code=${number}`) },
]
const gateway = (status: number, internalCode: number) =>
  answer(status, { name: 'AiGatewayError', internalCode, message: 'See the documentation.' })
const worker = (status: number, code: number) => ({
  example: answer(status, { success: false, errors: [{ code, message: 'See the documentation.' }] }),
  exampleProvider: 'workers-ai',
})
/** The number alone, without a status that says the same. */
const bare = (code: number) => ({
  example: { code, message: 'See the documentation.' },
  exampleProvider: 'workers-ai',
})

/** Cloudflare's AI Gateway (2xxx) and Workers AI (3xxx, 5xxx): the number is more reliable than the status. */
export default family('cloudflare', {
  prompt_blocked: {
    kind: 'content_policy',
    rank: 'cause',
    why: 'the gateway refused the prompt',
    when: numbered('2016'),
    example: gateway(424, 2016),
  },
  answer_blocked: {
    kind: 'content_policy',
    effect: 'maybe',
    rank: 'cause',
    why: "the gateway withheld the model's answer",
    when: numbered('2017'),
    example: gateway(424, 2017),
  },
  unconfigured: {
    kind: 'config',
    rank: 'named',
    why: 'there is no such gateway in the account',
    when: [...numbered('2001'), { says: ['please configure ai gateway'] }],
    example: gateway(400, 2001),
  },
  gateway_rate: {
    kind: 'rate_limit',
    why: 'a limit that was set on the gateway',
    when: numbered('2003'),
    example: gateway(400, 2003),
  },
  gateway_login: {
    kind: 'auth',
    why: 'the token of the gateway is missing or wrong',
    when: numbered('2009'),
    example: gateway(400, 2009),
  },
  model: { kind: 'model_not_found', why: 'no such model', when: numbered('5007 3042'), ...worker(400, 5007) },
  data: {
    kind: 'invalid_request',
    why: 'the input is not what the model accepts',
    when: numbered('5004 3003 3039'),
    ...bare(5004),
  },
  rights: {
    kind: 'forbidden',
    why: 'the account may not use it, or must accept terms first',
    when: numbered('5016 5018 3023 3041'),
    ...bare(5016),
  },
  too_large: {
    kind: 'request_too_large',
    why: 'the body is too large',
    when: numbered('3006'),
    ...bare(3006),
  },
  timeout: { kind: 'timeout', why: 'the model took too long', when: numbered('3007'), ...bare(3007) },
  aborted: {
    kind: 'aborted',
    rank: 'cause',
    why: 'a 408 for a request that was cancelled',
    when: numbered('3008'),
    ...worker(408, 3008),
  },
  day: {
    kind: 'quota',
    rank: 'cause',
    why: 'the daily free allocation is used up',
    when: numbered('3036'),
    ...worker(429, 3036),
  },
  full: {
    kind: 'overloaded',
    effect: 'none',
    rank: 'cause',
    why: 'the other 429: no data centre has capacity',
    when: numbered('3040'),
    ...worker(429, 3040),
  },
})
