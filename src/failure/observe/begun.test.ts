import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

const limit = { code: 'rate_limit_exceeded', message: 'Rate limit reached' }
const stream = (...events: object[]) =>
  classify({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: events.map(event => `data: ${JSON.stringify(event)}\n\n`).join(''),
  })
const responses = (...between: object[]) =>
  stream({ type: 'response.created', response: { status: 'in_progress' } }, ...between, {
    type: 'response.failed',
    response: { status: 'failed', error: limit },
  })
const choices = (choice: object) => stream({ choices: [choice] }, { error: limit })

describe('a stream that a limit ends', () => {
  it.each([
    ['Responses', responses()],
    ['chat completions', choices({ delta: { role: 'assistant', content: '' } })],
    ['Messages', stream({ type: 'message_start', message: {} }, { type: 'ping' }, { error: limit })],
    ['Messages that tell their use', stream({ type: 'message_delta', usage: {} }, { error: limit })],
  ])('before the answer begins was refused: %s', (_name, failure) => {
    expect(failure).toMatchObject({ class: 'throttle', effect: 'none' })
  })

  it.each([
    ['Responses', responses({ type: 'response.output_text.delta', delta: 'Hel' })],
    ['the call of a tool', responses({ type: 'response.function_call_arguments.delta', delta: '{' })],
    ['chat completions', choices({ delta: { content: 'Hel' } })],
    ['a tool in a chat', choices({ delta: { role: 'assistant', tool_calls: [{ index: 0 }] } })],
    ['completions', choices({ text: 'Hel' })],
    ['Messages', stream({ type: 'content_block_delta', delta: { text: 'Hel' } }, { error: limit })],
    ['Gemini', stream({ candidates: [{ content: { parts: [{ text: 'Hel' }] } }] }, { error: limit })],
    ['Cohere', stream({ type: 'content-delta', delta: {} }, { error: limit })],
    ['Bedrock', stream({ contentBlockDelta: { delta: { text: 'Hel' } } }, { error: limit })],
  ])('after a part of the answer may have done something: %s', (_name, failure) => {
    expect(failure).toMatchObject({ class: 'throttle', effect: 'maybe' })
  })
})
