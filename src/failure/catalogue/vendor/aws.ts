import { family } from '../rule.ts'
import { thrown } from './example.ts'

const smithy = (name: string, httpStatusCode: number, message?: string) =>
  thrown(name, message, { $fault: 'client', $metadata: { httpStatusCode } })

/**
 * Bedrock and AWS exception names. Written as phrases, because the same name occurs as a class, as a camelCase stream
 * event, and in brackets inside botocore's messages.
 */
export default family('aws', {
  credentials: {
    kind: 'auth',
    rank: 'cause',
    why: 'keys, tokens, signatures or the clock are refused, with a 400 or a 403',
    when: {
      says: [
        'expired token exception',
        'invalid client token id',
        'unrecognized client exception',
        'invalid signature exception',
        'invalid access key id',
        '(credentials|token) provider error',
        'an error occurred (request expired|expired token|invalid action|not authorized|opt in required)',
        'request time too skewed',
        'no credentials error',
      ],
    },
    example: 'InvalidClientTokenId',
  },
  signing: {
    kind: 'auth',
    why: 'codes for a request that was signed wrong or too long ago',
    when: {
      code: [
        'RequestExpired',
        'InvalidAction',
        'ExpiredToken',
        'InvalidToken',
        'OptInRequired',
        'NotAuthorized',
        'TokenRefreshRequired',
        'AuthFailure',
      ],
    },
    example: smithy('RequestExpired', 400),
  },
  access_form: {
    kind: 'forbidden',
    rank: 'cause',
    why: 'a 404 for a model whose access form was not submitted',
    when: { says: ['use case details have not been submitted', 'ftu form not filled'] },
    example: smithy(
      'ResourceNotFoundException',
      404,
      'Model use case details have not been submitted for this account.',
    ),
  },
  marketplace_pending: {
    kind: 'loading',
    effect: 'none',
    rank: 'cause',
    why: 'a 403 that passes: the subscription to the model is being set up',
    when: { says: ['agreement being created'] },
    example: smithy('MPAgreementBeingCreated', 403),
  },
  card: {
    kind: 'billing',
    rank: 'cause',
    why: 'access to the model is refused because the payment method is',
    when: { says: ['invalid payment instrument', 'valid payment instrument'] },
    example: smithy('AccessDeniedException', 403, 'Model access is denied due to INVALID_PAYMENT_INSTRUMENT'),
  },
  retired: {
    kind: 'model_not_found',
    rank: 'cause',
    why: 'the version of the model is no longer served',
    when: { says: ['reached (the|its) end of (its|) life'] },
    example: smithy('ValidationException', 400, 'This model version has reached the end of its life.'),
  },
  malformed: {
    kind: 'invalid_request',
    rank: 'named',
    why: 'the body does not fit the model; "keys not found" refers to the body',
    when: {
      says: ['malformed input request', 'the model returned the following errors', 'malformed query string'],
    },
    example: smithy('ValidationException', 400, 'Malformed input request: required key [messages] not found'),
  },
  model_failed: {
    kind: 'server_error',
    rank: 'hint',
    why: "the model's process failed behind the API; its own status says more",
    when: [
      { says: ['model error exception', 'internal failure', 'internal server exception'] },
      { status: [424], vendor: ['aws'] },
    ],
    example: smithy('ModelErrorException', 424),
  },
  model_refused: {
    kind: 'invalid_request',
    rank: 'named',
    why: "the same name, with the model's own status: it refused the request",
    when: { says: ['model error exception'], status: [400, 422] },
    example: thrown('ModelErrorException', 'See the documentation.', {
      originalStatusCode: 400,
      $metadata: { httpStatusCode: 424 },
    }),
  },
  slow_down: {
    kind: 'rate_limit',
    rank: 'named',
    why: 'throttle names of other AWS services and their imitators',
    when: {
      says: ['provisioned throughput exceeded', 'bandwidth limit exceeded', 'ec2 throttled exception'],
    },
    example: smithy('ProvisionedThroughputExceededException', 400),
  },
  cluster_full: {
    kind: 'overloaded',
    rank: 'named',
    effect: 'none',
    why: 'no machine of the cluster has room for the task right now',
    when: { code: ['cpu', 'memory', 'ports', 'eni', 'gpu'].map(kind => `reason=resource:${kind}`) },
    example: {
      tasks: [],
      failures: [{ arn: 'arn:aws:ecs:eu-west-1:1:container-instance/x', reason: 'RESOURCE:MEMORY' }],
    },
    exampleReturned: true,
  },
  no_such_item: {
    kind: 'not_found',
    rank: 'said',
    why: 'a resource named in the request does not exist, or is no longer in use',
    when: { code: ['reason=missing', 'reason=inactive'] },
    example: { services: [], failures: [{ arn: 'arn:aws:ecs:eu-west-1:1:service/x', reason: 'MISSING' }] },
    exampleReturned: true,
  },
})
