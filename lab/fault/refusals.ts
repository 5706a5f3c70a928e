import type { StatusFault } from './fault.ts'
import { anthropicError, errorInfo, geminiError, openaiError } from './vendor-error.ts'

/** The same request fails the same way until something changes. */
export const REFUSALS = {
  auth: {
    does: 'refuse',
    summary: 'the key is wrong; Gemini says so with 400',
    expected: { class: 'permanent', kind: 'auth' },
    error: {
      anthropic: facts => anthropicError(facts, 401, 'authentication_error', 'invalid x-api-key'),
      openai: facts =>
        openaiError(
          facts,
          401,
          'invalid_request_error',
          'invalid_api_key',
          'Incorrect API key provided: lab. You can find your API key at https://platform.openai.com/account/api-keys.',
        ),
      gemini: () =>
        geminiError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
          errorInfo('API_KEY_INVALID', { service: 'generativelanguage.googleapis.com' }),
        ]),
    },
  },
  forbidden: {
    does: 'refuse',
    summary: 'the key is valid but may not do this (403)',
    expected: { class: 'permanent', kind: 'forbidden' },
    error: {
      anthropic: facts =>
        anthropicError(
          facts,
          403,
          'permission_error',
          'Your API key does not have permission to use the specified resource.',
        ),
      openai: facts =>
        openaiError(
          facts,
          403,
          'invalid_request_error',
          'insufficient_permissions',
          'You have insufficient permissions for this operation. Missing scopes: model.request.',
        ),
      gemini: () =>
        geminiError(
          403,
          'PERMISSION_DENIED',
          'Generative Language API has not been used in project 42 before or it is disabled.',
          [
            errorInfo('SERVICE_DISABLED', {
              consumer: 'projects/42',
              service: 'generativelanguage.googleapis.com',
            }),
          ],
        ),
    },
  },
  region: {
    does: 'refuse',
    summary: "the vendor does not serve the caller's country",
    expected: { class: 'permanent', kind: 'unsupported_region' },
    error: {
      anthropic: facts =>
        anthropicError(
          facts,
          403,
          'permission_error',
          'Access to Anthropic models is not allowed from unsupported countries, regions, or territories. Please refer to https://www.anthropic.com/supported-countries for more information on currently supported locations.',
        ),
      openai: facts =>
        openaiError(
          facts,
          403,
          'request_forbidden',
          'unsupported_country_region_territory',
          'Country, region, or territory not supported',
        ),
      gemini: () =>
        geminiError(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
    },
  },
  invalid_request: {
    does: 'refuse',
    summary: 'the request is malformed (400)',
    expected: { class: 'permanent', kind: 'invalid_request' },
    error: {
      anthropic: facts =>
        anthropicError(facts, 400, 'invalid_request_error', 'messages.0.content: Field required'),
      openai: facts =>
        openaiError(
          facts,
          400,
          'invalid_request_error',
          'unsupported_parameter',
          "Unsupported parameter: 'temperature' is not supported with this model.",
          { param: 'temperature' },
        ),
      gemini: () =>
        geminiError(
          400,
          'INVALID_ARGUMENT',
          'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
        ),
    },
  },
  context_overflow: {
    does: 'refuse',
    summary: "the input is longer than the model's context window",
    expected: { class: 'permanent', kind: 'context_overflow' },
    error: {
      anthropic: facts =>
        anthropicError(
          facts,
          400,
          'invalid_request_error',
          'prompt is too long: 210000 tokens > 200000 maximum',
        ),
      openai: facts =>
        openaiError(
          facts,
          400,
          'invalid_request_error',
          'context_length_exceeded',
          'Your input exceeds the context window of this model. Please adjust your input and try again.',
          { param: 'input' },
        ),
      gemini: () =>
        geminiError(
          400,
          'INVALID_ARGUMENT',
          'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        ),
    },
  },
  model_not_found: {
    does: 'refuse',
    summary: 'there is no such model for this account (404)',
    expected: { class: 'permanent', kind: 'model_not_found' },
    error: {
      anthropic: facts => anthropicError(facts, 404, 'not_found_error', `model: ${facts.request.model}`),
      openai: facts =>
        openaiError(
          facts,
          404,
          'invalid_request_error',
          'model_not_found',
          `The model \`${facts.request.model}\` does not exist or you do not have access to it.`,
        ),
      gemini: facts =>
        geminiError(
          404,
          'NOT_FOUND',
          `models/${facts.request.model} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
        ),
    },
  },
  request_too_large: {
    does: 'refuse',
    summary: 'the request has too many bytes (413; Gemini says 400)',
    expected: { class: 'permanent', kind: 'request_too_large' },
    error: {
      anthropic: facts => anthropicError(facts, 413, 'request_too_large', 'Request exceeds the maximum size'),
      openai: facts =>
        openaiError(
          facts,
          413,
          'invalid_request_error',
          'request_too_large',
          'Maximum content size limit (26214400) exceeded (28311552 bytes read)',
        ),
      gemini: () =>
        geminiError(400, 'INVALID_ARGUMENT', 'Request payload size exceeds the limit: 20971520 bytes.'),
    },
  },
  content_policy: {
    does: 'refuse',
    summary: 'the vendor will not answer this prompt',
    expected: { class: 'permanent', kind: 'content_policy' },
    error: {
      anthropic: facts =>
        anthropicError(facts, 400, 'invalid_request_error', 'Output blocked by content filtering policy'),
      openai: facts =>
        openaiError(
          facts,
          400,
          'invalid_request_error',
          'invalid_prompt',
          'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.',
        ),
      // Gemini answers 200 and says in the body that it did not answer.
      gemini: ({ request }) => ({
        status: 200,
        body: {
          promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
          usageMetadata: { promptTokenCount: 12, totalTokenCount: 12 },
          modelVersion: request.model,
        },
      }),
    },
  },
} satisfies Record<string, StatusFault>
