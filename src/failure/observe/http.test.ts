import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const SSE_TYPE = { 'content-type': 'text/event-stream' }
const piece = (text: string, finishReason?: string) => ({
  candidates: [{ content: { parts: [{ text }] }, ...(finishReason ? { finishReason } : {}) }],
})
const answered = (body: unknown, provider?: string, headers: object = JSON_TYPE) =>
  classify({ status: 200, headers, body }, { provider })

describe("Google's stream as a list", () => {
  it('ends with an error', () => {
    const error = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
    for (const body of [[piece('a'), error], JSON.stringify([piece('a'), piece('b'), error])])
      expect(answered(body)).toMatchObject({ class: 'transient', kind: 'overloaded' })
  })

  it('ends at the output limit, even if a piece without content follows', () => {
    const body = [piece('a'), piece('b', 'MAX_TOKENS'), { usageMetadata: { totalTokenCount: 5 } }]
    expect(answered(body)).toMatchObject({ class: 'rail', kind: 'max_tokens' })
    expect(classify(body, { returned: true })).toMatchObject({ kind: 'max_tokens' })
  })

  it('ends well, or is a list of something else', () => {
    expect(answered([piece('a'), piece('b', 'STOP')])).toBeNull()
    expect(answered([{ id: 1 }, { id: 2, error: { message: 'overloaded' } }])).toBeNull()
  })
})

describe("Anthropic's stream", () => {
  const stream = (reason: string) =>
    [
      { type: 'message_start', message: { role: 'assistant', content: [], stop_reason: null } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'stop_reason: refusal' } },
      { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 3 } },
      { type: 'message_stop' },
    ]
      .map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('')

  it.each([
    ['refusal', 'content_policy'],
    ['max_tokens', 'max_tokens'],
    ['model_context_window_exceeded', 'context_overflow'],
  ])('tells in its last change why it stopped: %s', (reason, kind) => {
    expect(answered(stream(reason), 'anthropic', SSE_TYPE)).toMatchObject({ kind, effect: 'maybe' })
  })

  it.each(['end_turn', 'tool_use', 'pause_turn'])('stops well: %s', reason => {
    expect(answered(stream(reason), 'anthropic', SSE_TYPE)).toBeNull()
  })
})

describe('a page in place of an answer', () => {
  const page = (title: string) =>
    `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body>429 Too Many Requests</body></html>`

  it('is a failure of a provider that serves models', () => {
    for (const provider of ['anthropic', 'openai-main', 'my-gemini', 'openrouter'])
      expect(answered(page('Welcome'), provider, {})).toMatchObject({ class: 'transient', kind: 'bad_json' })
  })

  it('is what it says if it names what stands in between', () => {
    expect(answered(page('Attention Required! | Cloudflare'), 'openai', {})).toMatchObject({
      class: 'permanent',
      kind: 'unsupported_region',
    })
  })

  it('is an answer of any other provider, and text that does not begin like a page is not one', () => {
    for (const provider of [undefined, 'web', 'docs-server'])
      expect(answered(page('Welcome'), provider, {})).toBeNull()
    expect(answered('I wrote <html> for you', 'openai', {})).toBeNull()
  })

  it('is a failure as a returned text only if its title says so: models write pages too', () => {
    const returned = (text: string, provider?: string) => classify(text, { provider, returned: true })
    for (const title of ['Sign in to the network', '502 Bad Gateway', 'Just a moment...'])
      expect(returned(page(title), 'openai')).not.toBeNull()
    expect(returned(page('Sign in to the network'), 'openai')).toMatchObject({
      class: 'transient',
      kind: 'bad_json',
    })
    expect(returned(page('My bakery'), 'openai')).toBeNull()
    expect(returned(page('502 Bad Gateway'), 'web')).toBeNull()
    expect(returned(page('502 Bad Gateway'))).toBeNull()
  })

  it('is recognised in what an SDK throws about it', () => {
    const thrown = (what: string) =>
      classify(new TypeError(`Cannot use 'in' operator to search for 'object' in ${what}`))
    expect(thrown('<!DOCTYPE html>')).toMatchObject({ class: 'transient', kind: 'bad_json' })
    expect(thrown('undefined')).toMatchObject({ class: 'permanent', kind: 'code_bug' })
  })
})

describe('errors keyed by field name', () => {
  it.each([
    [422, { errors: { base: ['Too many requests'] } }, 'throttle'],
    [400, { errors: { email: ['has already been taken'] } }, 'permanent'],
    [400, { errorMessages: [], errors: { quota: 'daily quota exceeded' } }, 'throttle'],
  ])('are read: %s %j', (status, body, cls) => {
    expect(classify({ status, headers: JSON_TYPE, body: JSON.stringify(body) })?.class).toBe(cls)
  })
})
