/** The four shapes in which the fault server speaks, and what the model says. */
export const WORDS = ['Alpha ', 'beta ', 'gamma ', 'delta ', 'omega.']
export const ANSWER = WORDS.join('')

/** A server-sent event; `data` is JSON unless it is text. */
export interface SentEvent {
  event?: string
  data: object | string
}

export type Finish = 'stop' | 'length' | 'filtered'
export type Refusal = 'overloaded' | 'rate_limit' | 'server_error'

export interface Vendor {
  /** Name under which Mulligan knows the provider. */
  provider: string
  /** True if a request's path is of this vendor. */
  serves(path: string): boolean
  head: readonly SentEvent[]
  /** What comes while the model thinks. */
  ping?: SentEvent
  word(text: string): SentEvent
  tail(finish: Finish): readonly SentEvent[]
  /** An error within a stream. */
  error(kind: Refusal): SentEvent
  /** The end of an answer that failed, in place of the tail. */
  failed: readonly SentEvent[]
  whole(text: string, finish: Finish): object
  /** The body of a refusal by status. */
  body(type: string, message: string, status: number): object
}

const SAID: Record<Refusal, string> = {
  overloaded: 'Overloaded',
  rate_limit: 'Rate limit reached for requests',
  server_error: 'The server had an error while processing your request',
}

const chunk = (choice: object, more: object = {}) => ({
  data: {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [choice],
    ...more,
  },
})
const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 }
const CHAT_FINISH = { stop: 'stop', length: 'length', filtered: 'content_filter' }

const chat: Vendor = {
  provider: 'openai',
  serves: path => path.endsWith('/chat/completions'),
  head: [chunk({ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null })],
  word: text => chunk({ index: 0, delta: { content: text }, finish_reason: null }),
  tail: finish => [chunk({ index: 0, delta: {}, finish_reason: CHAT_FINISH[finish] }), { data: '[DONE]' }],
  error: kind => ({ data: { error: { message: SAID[kind], type: kind, code: CODES[kind] } } }),
  failed: [chunk({ index: 0, delta: {}, finish_reason: 'error' }), { data: '[DONE]' }],
  whole: (content, finish) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null },
        finish_reason: CHAT_FINISH[finish],
      },
    ],
    usage,
  }),
  body: (type, message) => ({ error: { message, type, code: type, param: null } }),
}

const CODES: Record<Refusal, string> = {
  overloaded: 'server_is_overloaded',
  rate_limit: 'rate_limit_exceeded',
  server_error: 'server_error',
}

const response = (status: string, text = '', more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status,
  error: null,
  incomplete_details: null,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  output: text === '' ? [] : [message(text)],
  usage: {
    input_tokens: 3,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 8,
  },
  ...more,
})
const message = (text: string, status = 'completed') => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status,
  content: text === '' ? [] : [{ type: 'output_text', text, annotations: [], logprobs: [] }],
})
const typed = (type: string, more: object): SentEvent => ({
  event: type,
  data: { type, sequence_number: 1, ...more },
})
const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const INCOMPLETE = {
  stop: null,
  length: { reason: 'max_output_tokens' },
  filtered: { reason: 'content_filter' },
}
const ended = (text: string, finish: Finish) =>
  response(finish === 'stop' ? 'completed' : 'incomplete', text, { incomplete_details: INCOMPLETE[finish] })

const responses: Vendor = {
  provider: 'openai',
  serves: path => path.endsWith('/responses'),
  head: [
    typed('response.created', { response: response('in_progress') }),
    typed('response.in_progress', { response: response('in_progress') }),
    typed('response.output_item.added', { output_index: 0, item: message('', 'in_progress') }),
    typed('response.content_part.added', {
      ...at,
      part: { type: 'output_text', text: '', annotations: [], logprobs: [] },
    }),
  ],
  word: text => typed('response.output_text.delta', { ...at, delta: text, logprobs: [] }),
  tail: finish => [
    typed('response.output_text.done', { ...at, text: ANSWER, logprobs: [] }),
    typed('response.content_part.done', {
      ...at,
      part: { type: 'output_text', text: ANSWER, annotations: [], logprobs: [] },
    }),
    typed('response.output_item.done', { output_index: 0, item: message(ANSWER) }),
    typed(finish === 'stop' ? 'response.completed' : 'response.incomplete', {
      response: ended(ANSWER, finish),
    }),
  ],
  error: kind => typed('error', { code: CODES[kind], message: SAID[kind], param: null }),
  failed: [
    typed('response.failed', {
      response: response('failed', '', { error: { code: 'server_error', message: SAID.server_error } }),
    }),
  ],
  whole: (text, finish) => ended(text, finish),
  body: chat.body,
}

const said = (type: string, more: object = {}): SentEvent => ({ event: type, data: { type, ...more } })
const STOPS = { stop: 'end_turn', length: 'max_tokens', filtered: 'refusal' }
const TYPES: Record<Refusal, string> = {
  overloaded: 'overloaded_error',
  rate_limit: 'rate_limit_error',
  server_error: 'api_error',
}

const messages: Vendor = {
  provider: 'anthropic',
  serves: path => path.endsWith('/messages'),
  head: [
    said('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    }),
    said('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ],
  ping: said('ping'),
  word: text => said('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
  tail: finish => [
    said('content_block_stop', { index: 0 }),
    said('message_delta', {
      delta: { stop_reason: STOPS[finish], stop_sequence: null },
      usage: { output_tokens: 5 },
    }),
    said('message_stop'),
  ],
  error: kind => said('error', { error: { type: TYPES[kind], message: SAID[kind] } }),
  failed: [said('error', { error: { type: 'api_error', message: 'Internal server error' } })],
  whole: (text, finish) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text }],
    stop_reason: STOPS[finish],
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 5 },
  }),
  body: (type, text) => ({ type: 'error', error: { type, message: text }, request_id: 'req_1' }),
}

const GOOGLE = { stop: 'STOP', length: 'MAX_TOKENS', filtered: 'SAFETY' }
const piece = (parts: object[], more: object = {}) => ({
  data: {
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5, totalTokenCount: 8 },
    modelVersion: 'm',
    responseId: 'r1',
  },
})
const STATUS: Record<Refusal, [number, string]> = {
  overloaded: [503, 'UNAVAILABLE'],
  rate_limit: [429, 'RESOURCE_EXHAUSTED'],
  server_error: [500, 'INTERNAL'],
}

const gemini: Vendor = {
  provider: 'google',
  serves: path => /:(?:stream)?[gG]enerateContent$/.test(path),
  head: [piece([{ text: '' }])],
  word: text => piece([{ text }]),
  tail: finish => [piece([{ text: '' }], { finishReason: GOOGLE[finish] })],
  error: kind => ({
    data: { error: { code: STATUS[kind][0], message: SAID[kind], status: STATUS[kind][1] } },
  }),
  failed: [piece([{ text: '' }], { finishReason: 'MALFORMED_FUNCTION_CALL' })],
  whole: (text, finish) => piece([{ text }], { finishReason: GOOGLE[finish] }).data,
  body: (status, text, code) => ({ error: { code, message: text, status } }),
}

export const VENDORS = { chat, responses, messages, gemini }
export type VendorName = keyof typeof VENDORS
