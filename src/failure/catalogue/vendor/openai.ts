import { family } from '../rule.ts'
import { answer, refused } from './example.ts'

/** OpenAI: Chat, Responses, Realtime, Assistants, the login of the ChatGPT plans. */
export default family('openai', {
  policy: {
    kind: 'content_policy',
    rank: 'cause',
    why: 'codes for a prompt that a safety check refused; none of them says content or filter',
    when: [
      {
        code: [
          'invalid_prompt',
          'cyber_policy',
          'bio_policy',
          'misalignment_policy_violation',
          'image_content_policy_violation',
          'sora_policy',
        ],
      },
      { says: ['(cyber|bio|misalignment) policy'] },
    ],
    example: refused(400, { type: 'invalid_request_error', code: 'cyber_policy' }),
  },
  cap: {
    kind: 'billing',
    rank: 'cause',
    why: 'a spending cap that reads like a usage limit',
    when: {
      code: ['organization_usage_limit_exceeded', 'project_usage_limit_exceeded'],
    },
    example: refused(429, { type: 'requests', code: 'organization_usage_limit_exceeded' }),
  },
  not_in_plan: {
    kind: 'forbidden',
    scope: 'account',
    rank: 'cause',
    why: 'a 429 that waiting does not fix: the plan does not include this product',
    when: { says: ['usage not included'] },
    example: refused(429, { type: 'usage_not_included' }),
  },
  no_flex_capacity: {
    kind: 'overloaded',
    effect: 'none',
    rank: 'cause',
    why: 'a 429 for lack of capacity in the cheap tier',
    when: [{ code: ['resource_unavailable'] }, { says: ['resource unavailable'], status: [429] }],
    example: refused(429, { code: 'resource_unavailable', message: 'Resource Unavailable' }),
  },
  tier: {
    kind: 'config',
    rank: 'named',
    why: 'the project may not use that service tier or storage location',
    when: { says: ['service tier is not (allowed|available|supported)', 'data residency mismatch'] },
    example: refused(400, {
      type: 'invalid_request_error',
      message: 'The requested service tier is not allowed for this project',
      param: 'service_tier',
    }),
  },
  image: {
    kind: 'invalid_request',
    why: 'the image cannot be read as sent',
    when: {
      code: 'invalid_base64_image invalid_image invalid_image_url invalid_image_format invalid_image_mode image_too_small image_parse_error unsupported_image_media_type empty_image_file failed_to_download_image'.split(
        ' ',
      ),
    },
    example: {
      object: 'response',
      status: 'failed',
      error: { code: 'empty_image_file', message: 'See the documentation.' },
    },
    exampleReturned: true,
  },
  store_timeout: {
    kind: 'timeout',
    why: 'a search behind the answer took too long',
    when: { code: ['vector_store_timeout'] },
    example: {
      object: 'response',
      status: 'failed',
      error: { code: 'vector_store_timeout', message: 'See the documentation.' },
    },
    exampleReturned: true,
  },
  active_response: {
    kind: 'conflict',
    effect: 'none',
    rank: 'named',
    why: 'the session is still busy with its last answer, although the type blames the request',
    when: { says: ['already has (an|) active response'] },
    example: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        code: 'conversation_already_has_active_response',
        message: 'See the documentation.',
      },
    },
  },
  session_over: {
    kind: 'timeout',
    rank: 'named',
    why: 'a live session has a longest duration; a new one works at once',
    when: {
      says: ['maximum duration of # (minutes|minute|hours|hour|seconds)', 'maximum (session|call) duration'],
    },
    example: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'Your session hit the maximum duration of 30 minutes.',
      },
    },
  },
  refresh: {
    kind: 'auth',
    rank: 'cause',
    why: 'the refresh token was used, revoked or is unknown, reported with a 400',
    when: {
      says: [
        'invalid (subject|refresh) token',
        'refresh token (reused|expired|invalidated|revoked|not found)',
        'refresh token (was|has) (already|) (been|) (used|revoked|expired)',
      ],
    },
    example: answer(400, { error: { code: 'refresh_token_reused', message: 'See the documentation.' } }),
  },
  edge_block: {
    kind: 'unsupported_region',
    rank: 'cause',
    why: 'the page of the network in front of the API: this address is blocked',
    when: {
      says: [
        'sorry you have been blocked',
        'attention required …… cloudflare',
        'cloudflare …… you have been blocked',
      ],
    },
    example: answer(
      403,
      '<html><title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1></html>',
    ),
  },
})
