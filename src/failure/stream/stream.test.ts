import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GOOD_STREAMS } from '../../../test/failure/stream/streams.ts'
import { classify } from '../classify.ts'
import { type EventRole, StreamReading } from './reading.ts'
import { readSse, SseReading } from './sse.ts'

const names = Object.keys(GOOD_STREAMS)
const body = (name: string) => GOOD_STREAMS[name] as string

describe('a good stream', () => {
  it.each(names)('of %s is known, and complete', name => {
    const reading = readSse(body(name))
    expect(reading.grammar).toBeDefined()
    expect(reading).toMatchObject({ hasContent: true, isFinished: true, isOpen: false, failed: undefined })
  })

  it.each(names)('of %s reads the same in whatever pieces it comes', name => {
    for (const size of [1, 7, 64]) {
      const reading = new SseReading()
      const roles: EventRole[] = []
      for (let at = 0; at < body(name).length; at += size)
        roles.push(...reading.feed(body(name).slice(at, at + size)))
      roles.push(...reading.end())
      const whole = readSse(body(name))
      expect([reading.isFinished, reading.events, reading.finish]).toEqual([true, whole.events, whole.finish])
      expect(roles).toHaveLength(whole.events)
    }
  })
})

describe('another piece of an answer', () => {
  const begun = () => {
    const reading = new SseReading()
    reading.feed(sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } }))
    return reading
  }
  const sse = (event: object) => `event: content_block_delta\ndata: ${JSON.stringify(event)}\n\n`

  it('is content, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), text => {
        const delta = { type: 'text_delta', text }
        const reading = begun()
        expect(reading.feed(sse({ type: 'content_block_delta', index: 0, delta }))).toEqual(['content'])
        expect(reading).toMatchObject({ events: 2, failed: undefined, isOpen: true })
      }),
    )
  })

  it.each([
    [
      'whose text does not end',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a}}',
    ],
    [
      'whose text has an unknown escape',
      String.raw`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\x"}}`,
    ],
    [
      'whose text holds a tab',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\t"}}',
    ],
    [
      'with more behind it',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}}',
    ],
  ])('%s is an error', (_what, data) => {
    expect(begun().feed(`data: ${data}\n\n`)).toEqual(['error'])
  })

  it('without a word is none', () => {
    const delta = { type: 'text_delta', text: '' }
    expect(begun().feed(sse({ type: 'content_block_delta', index: 0, delta }))).toEqual(['envelope'])
  })
})

/** The events of a stream, each with its empty line. */
const eventsOf = (name: string) =>
  body(name)
    .replaceAll('\r\n', '\n')
    .split(/(?<=\n\n)/)

describe('a stream that ends early', () => {
  /** Where each stream may end without harm: the first event that says the answer is complete. */
  const endOf = (name: string) => {
    const reading = new SseReading()
    return eventsOf(name).findIndex(event => {
      reading.feed(event)
      return reading.isFinished
    })
  }

  it.each(names)('of %s is open at every moment before its finish', name => {
    const events = eventsOf(name)
    for (let cut = 1; cut <= endOf(name); cut++) {
      const reading = readSse(events.slice(0, cut).join(''))
      if (reading.events > 0 && reading.grammar) expect([cut, reading.isOpen]).toEqual([cut, true])
    }
  })

  it.each(names)('of %s is open in the middle of its first words', name => {
    const at = body(name).search(/Hi|Hello|"f"|"a"|"1"/)
    expect(readSse(body(name).slice(0, at)).isFinished).toBe(false)
  })

  it('is open while one of several answers goes on', () => {
    const events = eventsOf('openai, two answers')
    expect(readSse(events.slice(0, 3).join(''))).toMatchObject({ isFinished: false, isOpen: true })
    expect(readSse(events.slice(0, 4).join('')).isFinished).toBe(true)
  })

  it('has no event at all', () => {
    expect(readSse('').events).toBe(0)
    expect(readSse(': ping\n\n: ping\n\n').events).toBe(0)
  })
})

describe('what an event is', () => {
  const roles = (...events: object[]) => {
    const reading = new StreamReading()
    return events.map(event => reading.take(event))
  }

  it('in a message of Anthropic', () => {
    expect(
      roles(
        { type: 'message_start', message: { content: [] } },
        { type: 'ping' },
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 't', name: 'f', input: {} },
        },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
        { type: 'message_stop' },
      ),
    ).toEqual(['envelope', 'envelope', 'envelope', 'envelope', 'content', 'envelope', 'finish', 'finish'])
  })

  it('in a response of OpenAI', () => {
    expect(
      roles(
        { type: 'response.created' },
        { type: 'response.in_progress' },
        { type: 'response.output_item.added' },
        { type: 'response.web_search_call.searching' },
        { type: 'response.output_text.delta', delta: '' },
        { type: 'response.output_text.delta', delta: 'x' },
        { type: 'response.completed', response: { status: 'completed' } },
      ),
    ).toEqual(['envelope', 'envelope', 'envelope', 'envelope', 'envelope', 'content', 'finish'])
  })

  it('in parts of the AI SDK', () => {
    expect(
      roles(
        { part: { type: 'start-step' } },
        { part: { type: 'text-start', id: '0' } },
        { part: { type: 'text-delta', id: '0', text: '' } },
        { part: { type: 'tool-input-start', id: '1', toolName: 'f' } },
        { part: { type: 'text-delta', id: '0', text: 'x' } },
        { part: { type: 'finish', finishReason: 'stop', rawFinishReason: 'stop' } },
      ),
    ).toEqual(['envelope', 'envelope', 'envelope', 'envelope', 'content', 'finish'])
  })
})

describe('the end of an answer', () => {
  const chat = (finish_reason: string) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: {}, finish_reason }],
  })
  it.each<[string, object, unknown]>([
    ['chat, tokens used up', chat('length'), { as: 'length', reason: 'length' }],
    ['chat, filtered', chat('content_filter'), { as: 'filtered', reason: 'content_filter' }],
    ['a word nobody knows', chat('eos_token_found'), undefined],
    [
      'messages',
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' } },
      { as: 'length', reason: 'max_tokens' },
    ],
    [
      'refused',
      { type: 'message_delta', delta: { stop_reason: 'refusal' } },
      { as: 'filtered', reason: 'refusal' },
    ],
    [
      'responses',
      { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } },
      { as: 'length', reason: 'max_output_tokens' },
    ],
    ['gemini', { candidates: [{ finishReason: 'SAFETY' }] }, { as: 'filtered', reason: 'SAFETY' }],
    [
      'a refused prompt',
      { promptFeedback: { blockReason: 'OTHER' } },
      { as: 'filtered', reason: 'prohibited_content' },
    ],
    [
      'the AI SDK',
      { type: 'finish', finishReason: { unified: 'length', raw: 'max_tokens' } },
      { as: 'length', reason: 'length' },
    ],
  ])('%s', (name, event, finish) => {
    const reading = new StreamReading(name.includes('AI SDK') ? 'ai-sdk' : undefined)
    reading.take(event)
    expect(reading).toMatchObject({ isFinished: true, finish })
  })

  it.each<[unknown]>([['interrupted'], ['unknown'], ['other'], [{ unified: 'other' }]])(
    'is made up by the AI SDK for a cut stream: %j',
    finishReason => {
      const reading = new StreamReading('ai-sdk')
      reading.take({ type: 'finish', finishReason, totalUsage: { outputTokens: undefined } })
      expect(reading.isFinished).toBe(false)
      expect(classify(reading.failed)).toMatchObject({
        class: 'transient',
        kind: 'stream_cut',
        effect: 'maybe',
      })
    },
  )

  it('is the vendor’s own if the AI SDK has its word, or its usage', () => {
    for (const part of [
      { type: 'finish', finishReason: 'other', rawFinishReason: 'eos_token_found' },
      { type: 'finish', finishReason: 'other', totalUsage: { outputTokens: 3 } },
    ]) {
      const reading = new StreamReading('ai-sdk')
      reading.take(part)
      expect(reading.isFinished).toBe(true)
    }
  })
})

describe('a failed answer', () => {
  const begun =
    'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n'
  it.each<[string, string, string]>([
    [
      'Anthropic',
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
      'overloaded',
    ],
    [
      'OpenAI’s responses',
      'data: {"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}}\n\n',
      'rate_limit',
    ],
    [
      'OpenAI’s responses, an event',
      'data: {"type":"error","code":"server_error","message":"The server had an error","param":null,"sequence_number":1}\n\n',
      'server_error',
    ],
    [
      'OpenRouter',
      `${begun}data: {"id":"c","object":"chat.completion.chunk","error":{"code":502,"message":"Provider disconnected"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}\n\n`,
      'stream_cut',
    ],
    [
      'a server that sends only a word',
      `${begun}data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"insufficient_system_resource"}]}\n\n`,
      'overloaded',
    ],
    [
      'vLLM',
      `${begun}data: {"object":"error","message":"Internal server error","type":"InternalServerError","param":null,"code":500}\n\n`,
      'server_error',
    ],
    [
      'Ollama',
      `${begun}data: {"error":{"message":"an error was encountered while running the model: unexpected EOF","type":"api_error"}}\n\n`,
      'eof',
    ],
    [
      'llama.cpp',
      `${begun}error: {"code":500,"message":"Internal server error","type":"server_error"}\n\n`,
      'server_error',
    ],
    [
      'Gemini',
      'data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}\n\n',
      'overloaded',
    ],
    ['an event that is not JSON', `${begun}data: {"id":"c","obj\n\n${begun}`, 'bad_json'],
  ])('of %s says why', (_name, text, kind) => {
    const { failed } = readSse(text)
    expect(classify(failed)).toMatchObject({ kind })
  })
})

describe('what is no stream of a model is not judged:', () => {
  it.each<[string, object[]]>([
    ['events of a program', [{ type: 'start' }, { type: 'progress', done: 3 }]],
    ['rows with errors', [{ id: 1, error: { message: 'x' } }]],
    ['an error as data', [{ type: 'error', message: 'x' }]],
    ['answers to JSON-RPC', [{ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }]],
    ['whole answers', [{ choices: [{ message: { content: 'x' }, finish_reason: 'stop' }] }]],
  ])('%s', (_name, events) => {
    const reading = new StreamReading()
    expect(events.map(event => reading.take(event))).toEqual(events.map(() => 'content'))
    expect(reading).toMatchObject({ isOpen: false, failed: undefined })
  })

  it('answers to JSON-RPC in a body, as MCP servers send them', () => {
    const reading = readSse(
      'event: message\ndata: {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"x"}}\n\n',
    )
    expect(reading).toMatchObject({ isOpen: false, failed: undefined, events: 1 })
  })
})
