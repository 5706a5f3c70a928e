import { family } from '../rule.ts'
import { thrown } from './example.ts'

/**
 * Errors that client libraries throw themselves. Most of their classes wrap a status and have no rule here, because what
 * is inside decides. Those with a rule are ranked so that the inside still wins.
 */
export default family('sdk', {
  timed_out: {
    kind: 'timeout',
    rank: 'cause',
    why: 'the name mentions a connection, but the clock also runs while waiting for the answer; a deeper cause proves more',
    when: {
      code: ['APIConnectionTimeoutError', 'APITimeoutError', 'CohereTimeoutError', 'RequestTimeoutError'],
    },
    example: thrown('APIConnectionTimeoutError', 'Request timed out.'),
  },
  denied: {
    kind: 'forbidden',
    rank: 'hint',
    why: 'the class for a 403, which is many things',
    when: { says: ['permission denied error'] },
    example: thrown('PermissionDeniedError'),
  },
  cut: {
    kind: 'max_tokens',
    rank: 'cause',
    why: 'the helper that parses answers got one that was cut off',
    when: { code: ['LengthFinishReasonError'] },
    example: thrown('LengthFinishReasonError'),
  },
  filtered: {
    kind: 'content_policy',
    effect: 'maybe',
    rank: 'cause',
    why: 'an answer was refused by a filter or by a guardrail of the program itself',
    when: {
      code: [
        'ContentFilterFinishReasonError',
        'InputGuardrailTripwireTriggered',
        'OutputGuardrailTripwireTriggered',
        'GuardrailTripwireTriggered',
      ],
    },
    example: thrown(
      'ContentFilterFinishReasonError',
      'Could not parse response content as the request was rejected by the content filter',
    ),
  },
  cut_stream: {
    kind: 'stream_cut',
    effect: 'maybe',
    rank: 'named',
    why: 'the helper read the stream to its end, and the answer was not complete',
    when: {
      says: [
        'missing finish reason for choice',
        'error reading from the stream',
        'request ended without sending any chunks',
        'stream ended without producing',
        'stream ended without a finish chunk',
        'incomplete json segment at the end',
      ],
    },
    example: thrown('OpenAIError', 'missing finish_reason for choice 0'),
  },
  unreadable: {
    kind: 'bad_json',
    effect: 'maybe',
    rank: 'named',
    why: 'an event or answer of the model that the client could not read',
    when: {
      says: ['error parsing json response', 'malformed server sent event json', 'model returned no content'],
    },
    example: thrown(
      'GoogleGenerativeAIError',
      '[GoogleGenerativeAI Error]: Error parsing JSON response: "{"',
    ),
  },
  unusable: {
    kind: 'bad_json',
    rank: 'named',
    why: 'the answer does not have the expected form, whatever the validator beneath says about its fields',
    when: [
      {
        code: `AI_TypeValidationError AI_InvalidResponseDataError AI_InvalidStreamPartError SDKValidationError ResponseValidationError
        APIResponseValidationError JSONSchemaValidationError OutputParserException OutputParsingError ModelBehaviorError AI_NoObjectGeneratedError`.split(
          /\s+/,
        ),
      },
      { says: ['invalid json response'] },
    ],
    example: thrown('APIResponseValidationError'),
  },
  schema_mismatch: {
    kind: 'bad_json',
    rank: 'named',
    why: "LiteLLM's class for an answer that does not match the requested schema, also within its messages",
    when: { says: ['json schema validation error', 'output parsing failure'] },
    example: 'litellm.JSONSchemaValidationError: See the documentation.',
  },
  bad_tool_call: {
    kind: 'bad_json',
    rank: 'named',
    why: 'the model called a tool that does not exist, or with wrong arguments: another sample may work',
    when: {
      code: [
        'AI_NoSuchToolError',
        'NoSuchToolError',
        'AI_InvalidToolInputError',
        'AI_InvalidToolArgumentsError',
        'AI_ToolCallRepairError',
      ],
    },
    example: thrown('AI_NoSuchToolError', "Model tried to call unavailable tool 'x'. Available tools: a."),
  },
  nothing_generated: {
    kind: 'bad_json',
    rank: 'hint',
    why: 'no usable answer; a cause or a finish reason says why',
    when: {
      code: [
        'AI_NoContentGeneratedError',
        'AI_NoOutputGeneratedError',
        'AI_NoImageGeneratedError',
        'AI_NoSpeechGeneratedError',
        'AI_NoTranscriptGeneratedError',
        'AI_EmptyResponseBodyError',
      ],
    },
    example: thrown('AI_NoOutputGeneratedError'),
  },
  misuse: {
    kind: 'invalid_request',
    rank: 'cause',
    why: 'the client refused the call before sending anything',
    when: [
      {
        code: `AI_InvalidDataContentError AI_InvalidMessageRoleError AI_MessageConversionError AI_MissingToolResultsError
          AI_TooManyEmbeddingValuesForCallError AI_UnsupportedFunctionalityError AI_InvalidArgumentError AI_InvalidPromptError
          GoogleGenerativeAIRequestInputError InvalidUpdateError`.split(/\s+/),
      },
      {
        says: [
          'streaming is required for operations',
          'streaming is strongly recommended',
          'errors invalid tool results',
          'errors message coercion failure',
          'errors invalid prompt input',
        ],
      },
    ],
    example: thrown(
      'AnthropicError',
      'Streaming is required for operations that may take longer than 10 minutes.',
    ),
  },
  no_key: {
    kind: 'auth',
    rank: 'named',
    why: 'no key was found where the client looks for one',
    when: { code: ['AI_LoadAPIKeyError', 'LoadAPIKeyError', 'InvalidWebhookSignatureError'] },
    example: thrown('AI_LoadAPIKeyError'),
  },
  settings: {
    kind: 'config',
    rank: 'named',
    why: 'the client is set up wrong',
    when: { code: ['AI_LoadSettingError', 'AI_NoSuchProviderError', 'AI_NoSuchProviderReferenceError'] },
    example: thrown('AI_NoSuchProviderError'),
  },
  download: {
    kind: 'network',
    rank: 'hint',
    why: 'a file of the prompt could not be fetched; a status says more',
    when: { code: ['AI_DownloadError'] },
    example: thrown('AI_DownloadError'),
  },
  recursion: {
    kind: 'max_steps',
    rank: 'cause',
    why: 'the graph exceeded its step limit',
    when: { code: ['GraphRecursionError'] },
    example: thrown('GraphRecursionError'),
  },
  stopped: {
    kind: 'aborted',
    rank: 'said',
    why: 'names for a call that the caller stopped',
    when: {
      code: [
        'ModelAbortError',
        'GoogleGenerativeAIAbortError',
        'RequestAbortedError',
        'ClientClosedRequestError',
        'ResponseAborted',
      ],
    },
    example: { message: 'it failed', code: 'ModelAbortError' },
  },
})
