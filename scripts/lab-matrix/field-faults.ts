import type { Facts } from '../../lab/facts.ts'
import type { Expectation, VendorError } from '../../lab/fault/fault.ts'
import { anthropicError, geminiError, openaiError } from '../../lab/fault/vendor-error.ts'
import { HTML_TYPE, JSON_TYPE, type Reply } from '../../lab/reply.ts'

/** A fault that answers every model call with the same reply. */
export interface ReplyFault {
  summary: string
  /** null: the answer is healthy after all. */
  expected: Expectation | null
  /** Silence before the reply. Default: none. */
  afterMs?: number
  reply(facts: Facts): Reply
}

/** Answers of gateways, proxies, resellers and local servers, seen in the field. */
export const FIELD_FAULTS = {
  overloaded_page: {
    summary: '529 with an HTML page instead of the error',
    expected: { class: 'transient', kind: 'overloaded' },
    reply: () => page(529, 'Site is overloaded'),
  },
  edge_unknown: {
    summary: '520: Cloudflare got an answer it does not understand',
    expected: { class: 'transient', kind: 'server_error' },
    reply: () => page(520, 'Web server is returning an unknown error'),
  },
  maintenance_page: {
    summary: '503 with a maintenance page and a Retry-After',
    expected: { class: 'transient', kind: 'overloaded' },
    reply: () => page(503, 'Down for maintenance', { 'retry-after': '30' }),
  },
  bare_429: {
    summary: '429 without a body or rate-limit headers',
    expected: { class: 'throttle', kind: 'rate_limit' },
    reply: () => nothing(429),
  },
  bare_500: {
    summary: '500 without a body',
    expected: { class: 'transient', kind: 'server_error' },
    reply: () => nothing(500),
  },
  bare_401: {
    summary: '401 without a body',
    expected: { class: 'permanent', kind: 'auth' },
    reply: () => nothing(401),
  },
  request_timeout: {
    summary: '408: the server gave up waiting',
    expected: { class: 'timeout', kind: 'timeout' },
    reply: () => page(408, 'Request Time-out'),
  },
  payload_too_large: {
    summary: '413 with a page of nginx: the request is too large',
    expected: { class: 'permanent', kind: 'request_too_large' },
    reply: () => page(413, 'Request Entity Too Large'),
  },
  legal_reasons: {
    summary: '451: not available in this country',
    expected: { class: 'permanent', kind: 'unsupported_region' },
    reply: () => page(451, 'Unavailable For Legal Reasons'),
  },
  expired_oauth: worded(
    '401: the token of an OAuth login has expired',
    { class: 'permanent', kind: 'auth' },
    401,
    'OAuth token has expired. Please obtain a new token or refresh your existing token.',
    { anthropic: 'authentication_error', openai: 'token_expired', gemini: 'UNAUTHENTICATED' },
  ),
  disabled_organization: worded(
    '403: the organization of the account is disabled',
    { class: 'permanent', kind: 'forbidden' },
    403,
    'This organization has been disabled.',
    { anthropic: 'permission_error', openai: 'organization_disabled', gemini: 'PERMISSION_DENIED' },
  ),
  plan_window: worded(
    '429 of a plan whose window is used up, with the wait only in the text',
    { class: 'throttle', kind: 'usage_limit' },
    429,
    "You've hit your usage limit. Upgrade your plan or try again in 2 hours 11 minutes.",
    { anthropic: 'rate_limit_error', openai: 'usage_limit_reached', gemini: 'RESOURCE_EXHAUSTED' },
  ),
  gateway_budget: worded(
    "400 of a gateway: the budget of the caller's key is spent",
    { class: 'rail', kind: 'max_budget' },
    400,
    'Budget has been exceeded! Current cost: 10.52, Max budget: 10.0',
    { anthropic: 'budget_exceeded', openai: 'budget_exceeded', gemini: 'FAILED_PRECONDITION' },
  ),
  context_500: worded(
    '500 of a local server: the input does not fit',
    { class: 'permanent', kind: 'context_overflow' },
    500,
    'Context size has been exceeded.',
    { anthropic: 'api_error', openai: 'server_error', gemini: 'INTERNAL' },
  ),
  unloadable_model: worded(
    '500 of a local server: the model is too large for the machine',
    { class: 'permanent', kind: 'out_of_memory' },
    500,
    'model requires more system memory (8.4 GiB) than is available (3.2 GiB)',
    { anthropic: 'api_error', openai: 'api_error', gemini: 'INTERNAL' },
  ),
  retired_model: worded(
    '404: the model was retired',
    { class: 'permanent', kind: 'model_not_found' },
    404,
    'The model has been deprecated and is no longer available. Use a newer model.',
    { anthropic: 'not_found_error', openai: 'model_not_found', gemini: 'NOT_FOUND' },
  ),
  filtered_prompt: worded(
    "400: a content filter refuses the prompt, in Azure's words",
    { class: 'permanent', kind: 'content_policy' },
    400,
    "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
    { anthropic: 'invalid_request_error', openai: 'content_filter', gemini: 'INVALID_ARGUMENT' },
  ),
  error_with_200: {
    summary: '200 whose whole body is a server error',
    expected: { class: 'transient', kind: 'server_error' },
    reply: facts => ({ ...asReply(inWordsOf(facts, 500, SORRY, INSIDE)), status: 200 }),
  },
  torn_event: {
    summary: 'the stream ends cleanly in the middle of an event',
    expected: { class: 'transient', kind: 'stream_cut' },
    reply: () => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      parts: [': keep-alive\n\n', 'data: {"id":"lab","choi'],
    }),
  },
} satisfies Record<string, ReplyFault>

const SORRY = 'The server had an error while processing your request. Sorry about that!'
const INSIDE = { anthropic: 'api_error', openai: 'server_error', gemini: 'INTERNAL' }

type Words = Record<'anthropic' | 'openai' | 'gemini', string>

export function worded(
  summary: string,
  expected: Expectation,
  status: number,
  sentence: string,
  words: Words,
): ReplyFault {
  return { summary, expected, reply: facts => asReply(inWordsOf(facts, status, sentence, words)) }
}

/** A message in the error format of the vendor that was called. */
function inWordsOf(facts: Facts, status: number, sentence: string, words: Words): VendorError {
  switch (facts.request.vendor) {
    case 'anthropic':
      return anthropicError(facts, status, words.anthropic, sentence)
    case 'openai':
      return openaiError(facts, status, words.openai, words.openai, sentence)
    case 'gemini':
      return geminiError(status, words.gemini, sentence)
  }
}

function asReply({ status, headers = {}, body }: VendorError): Reply {
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, parts: [JSON.stringify(body)] }
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, parts: [JSON.stringify(body)] }
}

export function page(status: number, title: string, headers: Record<string, string> = {}): Reply {
  const heading = `${status} ${title}`
  const html = `<html>\n<head><title>${heading}</title></head>\n<body><h1>${heading}</h1></body>\n</html>\n`
  return { status, headers: { 'content-type': HTML_TYPE, ...headers }, parts: [html] }
}

export function nothing(status: number): Reply {
  return { status, headers: {}, parts: [] }
}
