import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const returned = (value: unknown) => classify(value, { returned: true })
const stream = (body: string, type = 'text/event-stream') =>
  classify({ status: 200, headers: { 'content-type': type }, body })

describe('a failed tool is the same failure in every SDK', () => {
  const text = '429 Client Error: Too Many Requests'
  it.each([
    { type: 'tool', status: 'error', name: 'search', tool_call_id: 'c1', content: text },
    { role: 'tool', status: 'error', content: [{ type: 'text', text }] },
    { type: 'tool_result', tool_use_id: 'c1', is_error: true, content: text },
    { isError: true, content: [{ type: 'text', text }] },
    { type: 'tool-error', toolCallId: 'c1', toolName: 'search', error: text },
    { type: 'tool-result', toolCallId: 'c1', output: { type: 'error-text', value: text } },
    { type: 'tool-search', state: 'output-error', toolCallId: 'c1', errorText: text },
    {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'ToolMessage'],
      kwargs: { status: 'error', content: text },
    },
  ])('%j', value => {
    expect(returned(value)).toMatchObject({ class: 'throttle', kind: 'rate_limit' })
  })

  it.each([
    { type: 'tool', status: 'success', name: 'search', content: text },
    { type: 'tool', name: 'grep', content: text },
    { type: 'tool-result', toolCallId: 'c1', output: { type: 'text', value: text } },
    { type: 'tool', status: 'error', kind: 'hammer', price: 3 },
  ])('a tool that worked, or something else, is not a failure: %j', value => {
    expect(returned(value)).toBeNull()
  })
})

describe('a cut answer is the same failure in every SDK', () => {
  const content = 'The first half of'
  it.each([
    { choices: [{ finish_reason: 'length', message: { content } }] },
    { stop_reason: 'max_tokens', content: [{ type: 'text', text: content }] },
    { stopReason: 'max_tokens', output: { message: { content: [] } } },
    { candidates: [{ finishReason: 'MAX_TOKENS' }] },
    { text: content, finishReason: 'length' },
    { text: content, finishReason: 'MAX_TOKENS' },
    { content, response_metadata: { finish_reason: 'length' } },
    { content, response_metadata: { stop_reason: 'max_tokens' } },
    { content, response_metadata: { finishReason: 'MAX_TOKENS' } },
    { text: content, generationInfo: { finish_reason: 'length' } },
    { message: { role: 'assistant', content }, done: true, done_reason: 'length' },
    { object: 'response', status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
  ])('%j', value => {
    expect(returned(value)).toMatchObject({ class: 'rail', kind: 'max_tokens' })
  })

  it.each([
    { content: '', response_metadata: { finish_reason: 'content_filter' } },
    { text: '', finishReason: 'content-filter' },
    { text: '', finishReason: 'SAFETY' },
    { stop_reason: 'refusal', content: [] },
  ])('so is one that a filter stopped: %j', value => {
    expect(returned(value)).toMatchObject({ class: 'permanent', kind: 'content_policy' })
  })

  it.each([
    { content, response_metadata: { finish_reason: 'stop' } },
    { content, response_metadata: { stop_reason: 'end_turn' } },
    { text: content, finishReason: 'tool-calls' },
    { message: { content }, done: true, done_reason: 'stop' },
  ])('one that ended well is not a failure: %j', value => {
    expect(returned(value)).toBeNull()
  })
})

describe('a stream with status 200', () => {
  const chunk = 'data: {"choices":[{"delta":{"content":"The"}}]}\n\n'
  it.each([
    ['a bare JSON error after it', `${chunk}{"error":{"message":"Rate limit exceeded"}}\n`, 'throttle'],
    ['an error event in plain words', `${chunk}event: error\ndata: Overloaded\n\n`, 'transient'],
    ['an error event in plain words, without a blank', 'event:error\ndata:Invalid API key\n\n', 'permanent'],
    ['an event that breaks off inside its JSON', `${chunk}data: {"choices":[{"del`, 'transient'],
    [
      'an error event that breaks off',
      `${chunk}event: error\ndata: {"type":"error","error":{"type":"overloaded_er`,
      'transient',
    ],
    [
      'an event with an error beside empty choices',
      `${chunk}data: {"choices":[],"error":{"code":502,"message":"bad gateway"}}\n\ndata: [DONE]\n\n`,
      'transient',
    ],
  ])('failed by %s', (_name, body, cls) => {
    expect(stream(body)).toMatchObject({ class: cls })
  })

  it('failed by its last JSON line, or by a missing one', () => {
    const line = '{"message":{"role":"assistant","content":"The"},"done":false}\n'
    const lines = (end: string) => stream(line + end, 'application/x-ndjson')
    expect(lines('{"error":"model runner has unexpectedly stopped"}\n')).toMatchObject({ class: 'transient' })
    expect(lines('{"message":{"ro')).toMatchObject({ kind: 'stream_cut' })
    expect(lines('{"message":{"content":""},"done":true,"done_reason":"stop"}\n')).toBeNull()
  })

  it.each([
    ['talks about errors', `data: {"choices":[{"delta":{"content":"event: error"}}]}\n\ndata: [DONE]\n\n`],
    ['has no known end', 'event: tick\ndata: 429\n\n'],
    [
      'has an error of null',
      `data: {"choices":[{"delta":{},"finish_reason":"stop"}],"error":null}\n\ndata: [DONE]\n\n`,
    ],
  ])('did not fail where it %s', (_name, body) => {
    expect(stream(body)).toBeNull()
  })

  it('is fine if JSON rows contain errors of their own', () => {
    expect(stream('{"id":1,"error":"timeout"}\n{"id":2,"error":"429"}\n', 'application/x-ndjson')).toBeNull()
  })
})

describe('a body with status 200', () => {
  const answered = (body: object) => classify({ status: 200, headers: {}, body: JSON.stringify(body) })
  it.each([
    [{ Response: 'False', Error: 'Movie not found!' }, 'permanent'],
    [{ 'Error Message': 'the parameter apikey is invalid or missing' }, 'permanent'],
    [{ Information: 'Our standard API rate limit is 25 requests per day.' }, 'throttle'],
    [
      {
        error_message: 'You must use an API key to authenticate each request',
        results: [],
        status: 'REQUEST_DENIED',
      },
      'permanent',
    ],
    [
      {
        custom_id: 'r',
        response: { status_code: 400, body: { error: { message: 'max_tokens is too large' } } },
        error: null,
      },
      'permanent',
    ],
    [{ code: 'not_implemented', ok: false }, 'permanent'],
  ])('failed if it is only an error: %j', (body, cls) => {
    expect(answered(body)).toMatchObject({ class: cls })
  })

  it.each([
    [{ Response: 'True', Title: 'The Error' }],
    [{ Note: 'rate limits are described below', items: [1] }],
    [{ Error: '', Title: 'x' }],
    [{ response: { status_code: 200, body: { id: 'x' } }, error: null }],
  ])('did not fail: %j', body => {
    expect(answered(body)).toBeNull()
  })
})
