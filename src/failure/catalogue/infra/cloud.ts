import { family } from '../rule.ts'
import { named } from './example.ts'

const smithy = (name: string, httpStatusCode: number, message = 'x') =>
  named(name, message, { $metadata: { httpStatusCode } })
const xml = (status: number, code: string) => ({
  status,
  headers: {},
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>m</Message></Error>`,
})

/** Cloud storage and control planes: names that no model API uses. */
export default family('cloud', {
  throttled: {
    kind: 'rate_limit',
    rank: 'named',
    why: 'throttle codes that do not read as one, with statuses that say otherwise',
    when: [
      {
        code: [
          'throttling=true',
          'SlowDown',
          'EC2ThrottledException',
          'userRateLimitExceeded',
          'rateLimitExceeded',
        ],
      },
      { says: ['ec2throttledexception', 'rate exceeded', 'code slow down code'] },
    ],
    example: smithy('EC2ThrottledException', 503),
  },
  allowance: {
    kind: 'quota',
    rank: 'named',
    why: 'an account limit on how much may exist; requesting an increase helps, waiting seldom does',
    when: {
      code: [
        'LimitExceededException',
        'ServiceQuotaExceededException',
        'dailyLimitExceeded',
        'quotaExceeded',
      ],
    },
    example: smithy('LimitExceededException', 400),
  },
  in_progress: {
    kind: 'conflict',
    rank: 'named',
    effect: 'none',
    why: 'another operation on the same resource is in progress; S3 calls that aborted',
    when: [
      {
        code: [
          'OperationAborted',
          'TransactionConflictException',
          'TransactionInProgressException',
          'LeaseAlreadyPresent',
        ],
      },
      { says: ['code operation aborted code', 'conflicting conditional operation'] },
    ],
    example: xml(409, 'OperationAborted'),
  },
  condition: {
    class: 'permanent',
    kind: 'conflict',
    rank: 'named',
    why: "the caller's condition does not hold: read again before writing",
    when: [
      {
        code: [
          'ConditionalCheckFailedException',
          'PreconditionFailed',
          'ConditionNotMet',
          'ConditionalRequestConflict',
        ],
      },
      { says: ['conditional request failed'] },
    ],
    example: { message: 'it failed', code: 'ConditionNotMet' },
  },
  clock: {
    kind: 'config',
    rank: 'named',
    why: 'our clock is wrong, which makes the signature look old or early',
    when: [
      { code: ['RequestInTheFuture'] },
      {
        says: [
          'code request time too skewed code',
          'difference between the request time and the current time',
        ],
      },
    ],
    example: smithy('RequestInTheFuture', 403),
  },
  region: {
    kind: 'config',
    rank: 'named',
    why: 'the bucket lives in another region',
    when: [
      { code: ['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'] },
      { says: ['must be addressed using the specified endpoint'] },
    ],
    example: smithy('PermanentRedirect', 301),
  },
  cut: {
    kind: 'network',
    rank: 'said',
    why: "a client's wording for a broken connection",
    when: { says: ['unexpected connection closure'] },
    example: new Error('unexpected connection closure'),
  },
  reduced: {
    kind: 'overloaded',
    rank: 'named',
    effect: 'none',
    why: "the rate limit standard's problem type for reduced capacity",
    when: { says: ['http problem types temporary reduced capacity'] },
    example: {
      status: 429,
      headers: {},
      body: {
        type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
        title: 'x',
      },
    },
  },
  abnormal: {
    kind: 'rate_limit',
    rank: 'named',
    why: "the rate limit standard's problem type for abnormal usage",
    when: { says: ['http problem types abnormal usage detected'] },
    example: {
      status: 403,
      headers: {},
      body: { type: 'https://iana.org/assignments/http-problem-types#abnormal-usage-detected', title: 'x' },
    },
  },
})
