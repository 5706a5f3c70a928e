import { answerOf } from '../../lab/answer/answer.ts'
import { rfc3339 } from '../../lab/facts.ts'
import { faultReply } from '../../lab/fault/apply.ts'
import { ANSWER_DEFAULT } from '../../lab/lab.ts'
import { HTML_TYPE, JSON_TYPE, type Reply } from '../../lab/reply.ts'
import { json, nothing, page, type ReplyFault, worded } from './field-faults.ts'

const SLOW_MS = 3_000

/** Answers of gateways, edges and resellers that differ from the vendor's own in status, form or words. */
export const GATEWAY_FAULTS = {
  plan_ended: worded(
    '402: the plan has ended',
    { class: 'throttle', kind: 'billing' },
    402,
    'Your subscription ended on November 1. Renew your plan to continue.',
    { anthropic: 'subscription_ended', openai: 'subscription_ended', gemini: 'FAILED_PRECONDITION' },
  ),
  sso_page: {
    summary: "200 with the page of a company's single sign-on",
    expected: { class: 'permanent', kind: 'auth' },
    reply: () =>
      html(
        200,
        '<!DOCTYPE html>\n<html><head><title>Sign in to your account</title></head>\n<body><form method="post" action="https://sso.corp.example/saml2/login"><input type="hidden" name="SAMLRequest" value="fZJN"><h1>Single sign-on</h1><p>Your session has expired. Sign in with your company account.</p></form></body></html>\n',
      ),
  },
  edge_rate_limit: {
    summary: '429 with a page of Cloudflare: error 1015',
    expected: { class: 'throttle', kind: 'rate_limit' },
    reply: () =>
      html(
        429,
        '<!DOCTYPE html>\n<html><head><title>Access denied | api.lab.example used Cloudflare to restrict access</title></head>\n<body><h1>Error 1015</h1><h2>You are being rate limited</h2><p>The owner of this website (api.lab.example) has banned you temporarily from accessing this website.</p></body></html>\n',
        { server: 'cloudflare', 'cf-ray': '9a1e2d3c4b5a6978-AMS' },
      ),
  },
  overloaded_cut: {
    summary: '529 whose body is cut in the middle',
    expected: { class: 'transient', kind: 'overloaded' },
    reply: () => ({
      status: 529,
      headers: { 'content-type': JSON_TYPE },
      parts: ['{"type":"error","error":{"type":"overlo', 'aded_error","message":"Overloaded"}}'],
      delivery: { kind: 'cut', parts: 1 },
    }),
  },
  conflict: worded(
    '409: the same request is already being processed',
    { class: 'transient', kind: 'conflict' },
    409,
    'Another request with this id is still in progress. Please retry.',
    { anthropic: 'conflict_error', openai: 'conflict', gemini: 'ABORTED' },
  ),
  misdirected: {
    summary: '421: the connection belongs to another host',
    expected: { class: 'transient', kind: 'network' },
    reply: () => page(421, 'Misdirected Request'),
  },
  slow_first_byte: {
    summary: 'three seconds of silence, then the whole answer',
    expected: null,
    afterMs: SLOW_MS,
    reply: facts => answerOf(facts, { ends: 'stop', text: ANSWER_DEFAULT }),
  },
  limit_as_text: {
    summary: '429 whose JSON is declared as plain text',
    expected: { class: 'throttle', kind: 'rate_limit' },
    reply: facts => {
      const reply = faultReply(facts, { fault: 'rate_limit' }, '')
      return { ...reply, headers: { 'content-type': 'text/plain' } }
    },
  },
  key_refused_with_200: {
    summary: '200 whose body is one sentence about the key',
    expected: { class: 'permanent', kind: 'auth' },
    reply: () => json(200, { error: 'invalid API key' }),
  },
  revoked_in_stream: {
    summary: 'an error event before any content: the key was revoked',
    expected: { class: 'permanent', kind: 'auth' },
    reply: facts => {
      const whole = faultReply(facts, { fault: 'auth', inStream: true }, '')
      return { ...whole, parts: whole.parts.slice(-1) }
    },
  },
  context_of_reseller: worded(
    '400: the input does not fit, in the words of resellers',
    { class: 'permanent', kind: 'context_overflow' },
    400,
    "This model's maximum context length is 131072 tokens. However, you requested 140211 tokens (132019 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
    { anthropic: 'invalid_request_error', openai: 'invalid_request_error', gemini: 'INVALID_ARGUMENT' },
  ),
  missing_deployment: worded(
    '404 of Azure: there is no such deployment',
    { class: 'permanent', kind: 'model_not_found' },
    404,
    'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
    { anthropic: 'DeploymentNotFound', openai: 'DeploymentNotFound', gemini: 'NOT_FOUND' },
  ),
  suspended_account: worded(
    '403: the account was suspended',
    { class: 'permanent', kind: 'forbidden' },
    403,
    'Your account has been suspended due to a violation of our terms. Contact support to appeal.',
    { anthropic: 'permission_error', openai: 'account_suspended', gemini: 'PERMISSION_DENIED' },
  ),
  address_not_allowed: worded(
    "403: the caller's address is not on the list of the organization",
    { class: 'permanent', kind: 'forbidden' },
    403,
    'Your IP address is not on the allowlist of this organization.',
    { anthropic: 'permission_error', openai: 'ip_not_allowed', gemini: 'PERMISSION_DENIED' },
  ),
  reset_in_headers: {
    summary: '429 that states its reset only in headers',
    expected: { class: 'throttle', kind: 'rate_limit' },
    reply: facts =>
      json(
        429,
        { error: { message: 'Too many requests', type: 'rate_limit_error' } },
        {
          'x-ratelimit-remaining-requests': '0',
          'x-ratelimit-reset-requests': '25s',
          'anthropic-ratelimit-requests-remaining': '0',
          'anthropic-ratelimit-requests-reset': rfc3339(facts.now + 25_000),
        },
      ),
  },
  ietf_limit: {
    summary: "429 with IETF's RateLimit header and no body",
    expected: { class: 'throttle', kind: 'rate_limit' },
    reply: () => ({
      ...nothing(429),
      headers: { ratelimit: '"default";r=0;t=25', 'ratelimit-policy': '"default";q=50;w=60' },
    }),
  },
  problem_details: {
    summary: '503 as problem+json of a gateway',
    expected: { class: 'transient', kind: 'overloaded' },
    reply: () =>
      json(
        503,
        { type: 'about:blank', title: 'Service Unavailable', status: 503, detail: 'No healthy upstream' },
        { 'content-type': 'application/problem+json' },
      ),
  },
  loading_model: {
    summary: '503 of a model host: the model is being loaded',
    expected: { class: 'transient', kind: 'loading' },
    reply: () => json(503, { error: 'Model lab-1 is currently loading', estimated_time: 20 }),
  },
  more_credits: worded(
    '402 of a reseller: the request needs more credits than are left',
    { class: 'throttle', kind: 'billing' },
    402,
    'This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 1204. To increase, visit the settings and add more credits.',
    { anthropic: 'billing_error', openai: '402', gemini: 'FAILED_PRECONDITION' },
  ),
  cloud_throttle: {
    summary: "429 in AWS's form",
    expected: { class: 'throttle', kind: 'rate_limit' },
    reply: () =>
      json(
        429,
        { message: 'Too many tokens, please wait before trying again.' },
        { 'x-amzn-errortype': 'ThrottlingException' },
      ),
  },
  redirect_loop: {
    summary: 'a redirect to itself',
    expected: { class: 'permanent', kind: 'config' },
    reply: ({ request }) => ({ ...nothing(307), headers: { location: request.path } }),
  },
  wrong_path: {
    summary: '404 with a page of nginx: nothing is at this path',
    expected: { class: 'permanent', kind: 'not_found' },
    reply: () => page(404, 'Not Found'),
  },
} satisfies Record<string, ReplyFault>

function html(status: number, text: string, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': HTML_TYPE, ...headers }, parts: [text] }
}
