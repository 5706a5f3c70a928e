import { family } from '../rule.ts'
import { lines, printed } from './shapes.ts'

const event = (name: string, data: object = {}) =>
  lines({ type: 'error', timestamp: 1, sessionID: 'ses_1', error: { name, data } })

/** opencode and its fork Kilo: named errors, and what they say about permissions that nobody can give. */
export default family('opencode', {
  login: {
    kind: 'auth',
    rank: 'cause',
    why: 'the provider could not be set up with the credentials there are',
    when: [
      { code: ['ProviderInitError', 'PAID_MODEL_AUTH_REQUIRED'] },
      { says: ['provider auth error'] },
      { says: ['failed to initialize provider'] },
    ],
    example: event('ProviderInitError', { providerID: 'anthropic' }),
  },
  too_long: {
    kind: 'context_overflow',
    rank: 'cause',
    why: 'the conversation or the answer does not fit the model',
    when: { code: ['ContextOverflowError', 'MessageOutputLengthError'] },
    example: event('MessageOutputLengthError'),
  },
  cancelled: {
    kind: 'aborted',
    rank: 'cause',
    why: 'the message or one of its tools was aborted by the user or a client',
    when: [{ code: ['MessageAbortedError'] }, { says: ['tool execution aborted'] }],
    example: event('MessageAbortedError', { message: 'gone' }),
  },
  settings: {
    kind: 'config',
    rank: 'cause',
    why: 'its configuration file cannot be used',
    when: { code: ['ConfigInvalidError', 'ConfigJsonError', 'ConfigDirectoryTypoError'] },
    example: event('ConfigInvalidError', { path: '/x' }),
  },
  permission: {
    kind: 'config',
    rank: 'cause',
    effect: 'maybe',
    why: 'a permission was asked for and nobody was there to give it',
    when: { says: ['auto rejected permission', '(permission|permissions) requested …… auto rejecting'] },
    example: printed('Error: run ended with an auto-rejected permission; pass --auto for autonomous use'),
  },
  connection: {
    kind: 'network',
    rank: 'said',
    why: 'the response arrived damaged, or its own tries at a lost network are used up',
    when: { says: ['decompression failed', 'network retry limit reached'] },
    example: event('UnknownError', { message: 'Response decompression failed' }),
  },
  unexplained: {
    kind: 'unknown',
    rank: 'named',
    why: 'the server hides every defect behind one 500, a model that does not exist among them; only its log knows',
    when: {
      says: [
        'unexpected server error check server logs',
        'unexpected server error …… check server logs for details',
      ],
    },
    example: {
      status: 500,
      headers: {},
      body: {
        name: 'UnknownError',
        data: { message: 'Unexpected server error. Check server logs for details.', ref: 'err_1' },
      },
    },
  },
  no_text: {
    kind: 'unknown',
    rank: 'named',
    why: 'an answer without text and without an error says nothing about why',
    when: { code: ['message=empty response'] },
    example: new Error('empty response'),
  },
  provider_deadline: {
    kind: 'gateway_timeout',
    rank: 'named',
    why: 'the provider did not begin to answer in time; our own budget may have plenty left',
    when: { code: ['ProviderHeaderTimeoutError'] },
    example: event('APIError', { message: 'no headers', metadata: { code: 'ProviderHeaderTimeoutError' } }),
  },
  wrong_shape: {
    kind: 'invalid_request',
    rank: 'cause',
    why: 'the model would not produce the structure asked for, after its own tries',
    when: { code: ['StructuredOutputError'] },
    example: event('StructuredOutputError', { message: 'no', retries: 0 }),
  },
  free_allowance: {
    kind: 'quota',
    rank: 'cause',
    why: 'what the free models allow is used up',
    when: { code: ['PROMOTION_MODEL_LIMIT_REACHED', 'free_tier_limit'] },
    example: event('APIError', {
      message: 'no',
      responseBody: '{"error":{"code":"PROMOTION_MODEL_LIMIT_REACHED"}}',
    }),
  },
})
