import { describe, expect, it } from 'vitest'
import { answer, refused, thrown } from '../../../test/failure/catalogue/examples.ts'
import { classify } from '../classify.ts'

type Row = [what: string, provider: string | undefined, input: unknown, verdict: string]

const verdictOf = (input: unknown, provider?: string) => {
  const failure = classify(input, { provider })
  return `${failure?.class}/${failure?.kind}, ${failure?.effect}`
}

describe('a 429', () => {
  const rows: Row[] = [
    [
      'about money',
      'openai',
      refused(429, { type: 'insufficient_quota', code: 'credit_balance_exhausted' }),
      'throttle/billing, none',
    ],
    ['about money at Zhipu', undefined, refused(429, { code: '1113' }), 'throttle/billing, none'],
    ['about a plan', 'zai', refused(429, { code: '1310' }), 'throttle/usage_limit, none'],
    ['about a locked account', 'zai', refused(429, { code: '1112' }), 'permanent/forbidden, none'],
    [
      'about a product that is not in the plan',
      undefined,
      refused(429, { type: 'usage_not_included' }),
      'permanent/forbidden, none',
    ],
    [
      'about a request that can never fit',
      'groq',
      refused(429, {
        code: 'rate_limit_exceeded',
        message: 'Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 6294',
      }),
      'permanent/context_overflow, none',
    ],
    [
      'about load at Moonshot',
      undefined,
      refused(429, { type: 'engine_overloaded_error' }),
      'transient/overloaded, none',
    ],
    ['about load at Zhipu', undefined, refused(429, { code: '1305' }), 'transient/overloaded, none'],
    [
      'about load at Cloudflare',
      'workers-ai',
      answer(429, { errors: [{ code: 3040, message: 'x' }] }),
      'transient/overloaded, none',
    ],
    [
      'about a day at Cloudflare',
      'workers-ai',
      answer(429, { errors: [{ code: 3036, message: 'x' }] }),
      'throttle/quota, none',
    ],
    [
      'about a model that is not loaded',
      'bedrock',
      thrown('ModelNotReadyException', 'x', { $metadata: { httpStatusCode: 429 } }),
      'transient/loading, none',
    ],
  ]
  it.each(rows)('%s', (_what, provider, input, verdict) => expect(verdictOf(input, provider)).toBe(verdict))
})

describe('one code, two vendors', () => {
  const rows: Row[] = [
    [
      '1002 of MiniMax',
      'minimax',
      { base_resp: { status_code: 1002, status_msg: 'x' } },
      'throttle/rate_limit, none',
    ],
    [
      '1302 without a provider',
      undefined,
      { error: { code: '1302', message: 'x' } },
      'unknown/unknown, maybe',
    ],
    [
      'insufficient_quota of OpenAI',
      'openai',
      refused(429, { code: 'insufficient_quota' }),
      'throttle/billing, none',
    ],
    [
      'insufficient_quota of Alibaba',
      'dashscope',
      refused(429, { code: 'insufficient_quota' }),
      'throttle/rate_limit, none',
    ],
    ['498 of Groq', 'groq', answer(498), 'transient/overloaded, none'],
    ['498 without a provider', undefined, answer(498), 'permanent/invalid_request, maybe'],
    ['412 of Fireworks', 'fireworks', answer(412), 'throttle/billing, none'],
    ['412 without a provider', undefined, answer(412), 'permanent/conflict, none'],
    ['504 of SambaNova', 'sambanova', answer(504), 'transient/overloaded, none'],
    ['504 without a provider', undefined, answer(504), 'timeout/gateway_timeout, maybe'],
    ['424 of Bedrock', 'bedrock', answer(424), 'transient/server_error, maybe'],
    ['424 without a provider', undefined, answer(424), 'permanent/invalid_request, maybe'],
  ]
  it.each(rows)('%s', (_what, provider, input, verdict) => expect(verdictOf(input, provider)).toBe(verdict))
})

describe('a status that lies', () => {
  const rows: Row[] = [
    [
      '402 that heals in seconds',
      'openrouter',
      refused(402, { code: 402, metadata: { error_type: 'in_flight_budget_exhausted' } }),
      'throttle/rate_limit, none',
    ],
    [
      '403 that is money',
      'openrouter',
      refused(403, { code: 403, metadata: { limit_source: 'openrouter_credits' } }),
      'throttle/billing, none',
    ],
    [
      '403 that is a cap of the owner',
      'openrouter',
      refused(403, { code: 403, metadata: { limit_source: 'openrouter_key_limit' } }),
      'rail/max_budget, none',
    ],
    [
      '403 that is too long',
      'together',
      refused(403, { message: '`inputs` tokens + `max_new_tokens` must be <= 4097' }),
      'permanent/context_overflow, none',
    ],
    [
      '400 that is a spending cap',
      'anthropic',
      answer(400, {
        type: 'error',
        error: {
          type: 'invalid_request_error',
          message: 'You have reached your specified API usage limits.',
        },
      }),
      'throttle/billing, none',
    ],
    [
      '400 that the model caused',
      'groq',
      refused(400, { type: 'invalid_request_error', code: 'tool_use_failed' }),
      'transient/bad_json, maybe',
    ],
    [
      '400 of a proxy without its database',
      'litellm',
      refused(400, { type: 'no_db_connection' }),
      'transient/server_error, none',
    ],
    [
      '401 that is a missing right',
      'litellm',
      refused(401, { type: 'team_model_access_denied', code: '401' }),
      'permanent/forbidden, none',
    ],
    [
      '500 that never passes',
      'llama.cpp',
      refused(500, { type: 'server_error', message: 'context shift is disabled' }),
      'permanent/context_overflow, maybe',
    ],
    [
      '408 that was called off',
      'workers-ai',
      answer(408, { errors: [{ code: 3008, message: 'x' }] }),
      'aborted/aborted, maybe',
    ],
  ]
  it.each(rows)('%s', (_what, provider, input, verdict) => expect(verdictOf(input, provider)).toBe(verdict))
})
