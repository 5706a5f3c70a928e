import { family } from '../rule.ts'
import { answer } from './example.ts'

const error = (type: string, message = 'See the documentation.', error_code?: string) => ({
  type: 'error',
  error: { type, message, ...(error_code ? { details: { error_code } } : {}) },
})
const coded = (status: number, error_code: string, type = 'invalid_request_error') =>
  answer(status, error(type, undefined, error_code))

/** Anthropic's API and what its server tools and hosted agents report. `details.error_code` says most. */
export default family('anthropic', {
  spend_limit: {
    kind: 'billing',
    rank: 'cause',
    why: 'a 400 with a generic type that means a spending cap of the organisation or workspace',
    when: {
      says: ['specified (workspace|) api usage limits', 'workspace api usage limits', 'enforced spend limit'],
      // A cap that resets on its own is waited for: limit.plan_window.
      unless: ['regain access'],
    },
    example: answer(
      400,
      error('invalid_request_error', 'You have reached your specified workspace API usage limits.'),
    ),
  },
  billing: {
    kind: 'billing',
    rank: 'cause',
    why: 'the type for any payment problem, even without a 402',
    when: [{ code: ['billing_error'] }, { says: ['billing error'] }],
    example: error('billing_error'),
  },
  plan_window: {
    kind: 'usage_limit',
    rank: 'cause',
    why: 'for plan logins: the window is used up, although the type is that of a per-minute limit',
    when: [
      { says: ['exceed your accounts rate limit'] },
      { code: ['anthropic-ratelimit-unified-status=rejected'] },
    ],
    example: answer(
      429,
      error(
        'rate_limit_error',
        "This request would exceed your account's rate limit. Please try again later.",
      ),
    ),
  },
  customer_key: {
    kind: 'config',
    why: 'the encryption key that the customer manages cannot be used',
    when: { code: ['cmek_key_disabled', 'cmek_key_network_blocked'] },
    example: coded(400, 'cmek_key_disabled'),
  },
  not_ready: {
    kind: 'server_error',
    rank: 'named',
    why: 'something the request depends on is not reachable yet; waiting minutes helps',
    when: { code: ['cmek_key_unreachable', 'cmek_context_unavailable', 'registration_pending'] },
    example: coded(503, 'registration_pending', 'api_error'),
  },
  account_state: {
    kind: 'forbidden',
    scope: 'account',
    why: 'a 400 about the account, not about the request',
    when: {
      code: [
        'organization_on_hold',
        'claude_code_key_creator_not_member',
        'organization_type_not_supported',
        'organization_not_enrolled_in_beta',
        'user_profile_not_found',
        'sandbox_egress_restricted',
        'api_key_scope_missing',
      ],
    },
    example: coded(400, 'claude_code_key_creator_not_member'),
  },
  client_state: {
    kind: 'forbidden',
    scope: 'account',
    rank: 'named',
    why: "the client's own word for a valid login that may not continue",
    when: { says: ['oauth org not allowed'] },
    example: { type: 'assistant', error: 'oauth_org_not_allowed' },
  },
  login_needed: {
    kind: 'auth',
    rank: 'named',
    why: "the client's own words for a login that a person must fix",
    when: { says: ['verification required', 'cloud credential error'] },
    example: { type: 'assistant', error: 'cloud_credential_error' },
  },
  request_clash: {
    kind: 'invalid_request',
    why: 'names within one request collide; despite the word conflict, this does not pass on its own',
    when: { code: ['tool_name_conflict', 'tool_reference_unresolved', 'thread_fingerprint_mismatch'] },
    example: { message: 'it failed', code: 'tool_name_conflict' },
  },
  already_continued: {
    class: 'permanent',
    kind: 'conflict',
    effect: 'maybe',
    why: 'an earlier try went through',
    when: { code: ['thread_already_continued'] },
    example: coded(400, 'thread_already_continued'),
  },
  in_flight: {
    kind: 'conflict',
    why: 'a 400 that passes: an earlier try or a check is still in progress',
    when: {
      code: [
        'thread_continue_in_flight',
        'external_key_validation_timed_out',
        'scan_pending',
        'external_key_changed',
        'concurrent_membership_change',
      ],
    },
    example: coded(400, 'thread_continue_in_flight'),
  },
  model: {
    kind: 'model_not_found',
    why: 'the 404 for a model names it and no more',
    when: { code: ['not_found_error'], says: ['model'] },
    rank: 'named',
    example: answer(404, error('not_found_error', 'model: claude-example-9')),
  },
  api_error: {
    kind: 'server_error',
    rank: 'last',
    why: 'the fallback type; others use it even for 429 and 503, so anything else beats it',
    when: { code: ['api_error'] },
    example: error('api_error'),
  },
  fetch_failed: {
    kind: 'not_found',
    effect: 'maybe',
    why: 'a server tool could not fetch a page',
    when: { code: ['error_code=url_not_accessible', 'error_code=url_not_allowed'] },
    example: { type: 'web_fetch_tool_result_error', error_code: 'url_not_accessible' },
  },
  tool_input: {
    kind: 'invalid_request',
    effect: 'maybe',
    why: 'the model called a server tool with invalid input',
    when: {
      code: ['query_too_long', 'invalid_tool_input', 'url_too_long', 'unsupported_content_type'].map(
        word => `error_code=${word}`,
      ),
    },
    example: { type: 'web_search_tool_result_error', error_code: 'query_too_long' },
  },
  tool_uses: {
    kind: 'max_steps',
    why: "the caller's limit of tool uses or compactions is reached",
    when: {
      code: [
        'error_code=max_uses_exceeded',
        'tool_use_limit_reached_error',
        'compaction_limit_reached_error',
      ],
    },
    example: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
  },
  agent_request: {
    kind: 'server_error',
    rank: 'hint',
    why: 'a hosted agent got no answer from its model and does not say why',
    when: { code: ['model_request_failed_error'] },
    example: {
      type: 'session.error',
      error: { type: 'model_request_failed_error', message: 'The request failed.' },
    },
  },
})
