import { family } from '../rule.ts'
import { refused } from './example.ts'

const typed = (code: number, error_type: string, more: object = {}) =>
  refused(code, { code, metadata: { error_type, ...more } })
const unavailable = (code: number, word: string) =>
  refused(code, { code, availability: { code: word, retryable: false } })

/** OpenRouter: `metadata.error_type`, `metadata.limit_source` and `availability.code` are more reliable than the status. */
export default family('openrouter', {
  too_long: {
    kind: 'context_overflow',
    rank: 'cause',
    why: 'the prompt or the requested answer length does not fit the model',
    when: {
      code: [
        'error_type=string_too_long',
        'error_type=max_tokens_exceeded',
        'error_type=token_limit_exceeded',
        'code=max_tokens_exceeded',
      ],
    },
    example: typed(400, 'max_tokens_exceeded'),
  },
  in_flight: {
    kind: 'rate_limit',
    rank: 'cause',
    why: 'a 402 that passes in seconds: running requests hold the rest of the budget',
    when: { code: ['in_flight_budget_exhausted', 'limit_source=openrouter_in_flight_budget'] },
    example: typed(402, 'in_flight_budget_exhausted', { limit_source: 'openrouter_in_flight_budget' }),
  },
  too_dear: {
    class: 'permanent',
    kind: 'billing',
    rank: 'cause',
    why: 'this one request costs more than the whole budget',
    when: { code: ['weight_exceeds_budget'] },
    example: typed(402, 'weight_exceeds_budget'),
  },
  budget: {
    kind: 'billing',
    rank: 'cause',
    why: 'a 403 that is money',
    when: [
      {
        code: ['limit_source=openrouter_credits'],
      },
    ],
    example: refused(403, { code: 403, metadata: { limit_source: 'openrouter_credits' } }),
  },
  own_cap: {
    kind: 'max_budget',
    rank: 'cause',
    effect: 'none',
    why: 'a cap that the owner set on the key, the workspace or in a guardrail',
    when: {
      code: ['guardrail_budget', 'workspace_budget', 'key_limit'].map(
        word => `limit_source=openrouter_${word}`,
      ),
    },
    example: refused(403, { code: 403, metadata: { limit_source: 'openrouter_key_limit' } }),
  },
  refused: {
    kind: 'content_policy',
    rank: 'cause',
    why: 'a guardrail or the provider refused the text',
    when: [
      { code: ['error_type=refusal', 'code=refusal'] },
      { says: ['request blocked'], status: [403], vendor: ['openrouter'] },
    ],
    example: typed(403, 'refusal'),
  },
  model_gone: {
    kind: 'model_not_found',
    rank: 'cause',
    why: 'no provider serves that model, or no longer for free',
    when: { code: ['no_endpoints', 'model_deprecated', 'model_unavailable_upstream', 'free_variant_ended'] },
    example: unavailable(404, 'no_endpoints'),
  },
  routed_out: {
    kind: 'config',
    rank: 'named',
    why: "our own account's rules leave no provider",
    when: { code: ['privacy_restricted', 'constraint_filtered', 'wrong_endpoint'] },
    example: unavailable(404, 'privacy_restricted'),
  },
  free_day: {
    kind: 'quota',
    rank: 'cause',
    why: "the day's free requests are used up",
    when: [{ says: ['free models per day'] }, { code: ['limit_source=openrouter_free_tier_daily'] }],
    example: refused(429, { code: 429, message: 'Rate limit exceeded: free-models-per-day-high-balance.' }),
  },
  no_capacity: {
    kind: 'overloaded',
    effect: 'none',
    rank: 'cause',
    why: 'all providers of the model are at capacity, no matter the status',
    when: { code: ['capacity_exhausted', 'provider_overloaded', 'ProviderOverloaded'] },
    example: unavailable(429, 'capacity_exhausted'),
  },
  provider_down: {
    kind: 'server_error',
    rank: 'said',
    why: 'the provider behind it failed',
    when: { code: ['provider_unavailable', 'error_type=unmapped', 'error_type=server'] },
    example: { error: { code: 'provider_unavailable', message: 'See the documentation.' } },
  },
})
