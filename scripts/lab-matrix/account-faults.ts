import { json, type ReplyFault, worded } from './field-faults.ts'

/** What resellers, clouds and local servers say about accounts, plans and models, in words that the vendors do not use. */
export const ACCOUNT_FAULTS = {
  unpaid_invoice: worded(
    '403: an invoice is unpaid',
    { class: 'throttle', kind: 'billing' },
    403,
    'Access to the API is paused because an invoice of your organization is past due. Settle it in the billing portal to restore access.',
    { anthropic: 'permission_error', openai: 'account_past_due', gemini: 'PERMISSION_DENIED' },
  ),
  balance_in_chinese: {
    summary: '429 of a Chinese vendor: the balance is used up',
    expected: { class: 'throttle', kind: 'billing' },
    reply: () => json(429, { error: { code: '1113', message: '余额不足或无可用资源包,请充值。' } }),
  },
  speed_in_chinese: {
    summary: '429 of a Chinese vendor: too many requests',
    expected: { class: 'throttle', kind: 'rate_limit' },
    reply: () => json(429, { error: { code: '1302', message: '您的账户已达到速率限制，请您控制请求频率' } }),
  },
  arrears: {
    summary: '400 of a cloud: the account owes money',
    expected: { class: 'throttle', kind: 'billing' },
    reply: () =>
      json(400, {
        error: {
          message: 'Access denied, please make sure your account is in good standing.',
          type: 'Arrearage',
          param: null,
          code: 'Arrearage',
        },
        request_id: 'b7c1',
      }),
  },
  free_tier_spent: {
    summary: '403 of a cloud: the free allowance of the model is used up',
    expected: { class: 'throttle', kind: 'quota' },
    reply: () =>
      json(403, {
        error: {
          message:
            'The free tier of the model has been exhausted. If you wish to continue access the model on a paid basis, please disable the "use free tier only" mode in the management console.',
          code: 'AllocationQuota.FreeTierOnly',
        },
      }),
  },
  weekly_window: worded(
    '429: the weekly allowance of a plan is used up, with a day in words',
    { class: 'throttle', kind: 'usage_limit' },
    429,
    "You've reached your weekly limit for this plan. Your limit resets on Monday at 9:00 AM (UTC).",
    { anthropic: 'rate_limit_error', openai: 'weekly_limit_reached', gemini: 'RESOURCE_EXHAUSTED' },
  ),
  too_many_at_once: worded(
    '429: too many requests at the same time',
    { class: 'throttle', kind: 'rate_limit' },
    429,
    'Your organization has reached its maximum of 4 concurrent requests. Wait for one to finish.',
    { anthropic: 'rate_limit_error', openai: 'concurrency_limit', gemini: 'RESOURCE_EXHAUSTED' },
  ),
  free_models_per_day: {
    summary: '429 of a reseller: the free requests of this day are used up',
    expected: { class: 'throttle', kind: 'quota' },
    reply: ({ now }) =>
      json(429, {
        error: {
          message:
            'Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day',
          code: 429,
          metadata: {
            headers: {
              'X-RateLimit-Limit': '50',
              'X-RateLimit-Remaining': '0',
              'X-RateLimit-Reset': String(now + 6 * 3_600_000),
            },
          },
        },
      }),
  },
  expired_key: worded(
    '400: the key has expired',
    { class: 'permanent', kind: 'auth' },
    400,
    'API key expired. Please renew the API key.',
    { anthropic: 'invalid_request_error', openai: 'invalid_request_error', gemini: 'INVALID_ARGUMENT' },
  ),
  missing_scope: worded(
    '401: the key lacks a permission',
    { class: 'permanent', kind: 'forbidden' },
    401,
    "You have insufficient permissions for this operation. Missing scopes: model.request. Check that you have the correct role in your organization, and if you're using a restricted API key, that it has the necessary scopes.",
    { anthropic: 'authentication_error', openai: 'missing_scope', gemini: 'UNAUTHENTICATED' },
  ),
  unverified_organization: worded(
    '404: the organization must first be verified',
    { class: 'permanent', kind: 'forbidden' },
    404,
    'Your organization must be verified to stream this model. Please go to the settings of your organization and click on Verify Organization.',
    { anthropic: 'not_found_error', openai: 'unsupported_value', gemini: 'NOT_FOUND' },
  ),
  key_for_other_models: worded(
    '403 of a gateway: the key may use other models only',
    { class: 'permanent', kind: 'forbidden' },
    403,
    "key not allowed to access model. This key can only access models=['small-1']. Tried to access lab-1",
    { anthropic: 'key_model_access_denied', openai: 'key_model_access_denied', gemini: 'PERMISSION_DENIED' },
  ),
  data_policy: {
    summary: '404 of a reseller: the privacy settings exclude every host of the model',
    expected: { class: 'permanent', kind: 'config' },
    reply: () =>
      json(404, {
        error: {
          message:
            'No endpoints found matching your data policy (Paid model training). Configure: https://reseller.example/settings/privacy',
          code: 404,
        },
      }),
  },
  local_model_missing: {
    summary: '404 of a local server: the model was never pulled',
    expected: { class: 'permanent', kind: 'model_not_found' },
    reply: () => json(404, { error: "model 'lab-1:32b' not found, try pulling it first" }),
  },
} satisfies Record<string, ReplyFault>
