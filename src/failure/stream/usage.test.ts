import { describe, expect, it } from 'vitest'
import { usedBy, usedSoFar } from './usage.ts'

const used = (inputTokens: number, outputTokens: number, cachedTokens = 0, cacheWriteTokens = 0) => ({
  inputTokens,
  outputTokens,
  cachedTokens,
  cacheWriteTokens,
})

describe('what an answer used', () => {
  it.each([
    [
      'chat',
      {
        model: 'm',
        usage: { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } },
      },
      used(10, 5, 4),
    ],
    [
      'responses',
      {
        response: {
          model: 'm',
          usage: { input_tokens: 10, output_tokens: 5, input_tokens_details: { cached_tokens: 4 } },
        },
      },
      used(10, 5, 4),
    ],
    [
      'messages',
      {
        model: 'm',
        usage: {
          input_tokens: 6,
          output_tokens: 5,
          cache_read_input_tokens: 3,
          cache_creation_input_tokens: 1,
        },
      },
      used(10, 5, 3, 1),
    ],
    [
      'gemini',
      {
        modelVersion: 'm',
        usageMetadata: {
          promptTokenCount: 10,
          candidatesTokenCount: 3,
          thoughtsTokenCount: 2,
          cachedContentTokenCount: 4,
        },
      },
      used(10, 5, 4),
    ],
    [
      'a model of the AI SDK',
      {
        response: { modelId: 'm' },
        usage: { inputTokens: { total: 10, cacheRead: 4 }, outputTokens: { total: 5 } },
      },
      used(10, 5, 4),
    ],
    [
      'a result of the AI SDK',
      {
        steps: [5, 5].map(n => ({ response: { modelId: 'm' }, usage: { inputTokens: n, outputTokens: 1 } })),
      },
      used(10, 2),
    ],
    [
      'LangChain',
      {
        model: 'm',
        usage_metadata: { input_tokens: 10, output_tokens: 5, input_token_details: { cache_read: 4 } },
      },
      used(10, 5, 4),
    ],
  ])('is read from %s', (_, answer, usage) => {
    expect(usedBy(answer)).toEqual({ usage, model: 'm' })
  })

  it.each([undefined, null, 'text', {}, { usage: null }, { usage: {} }, { usage: { prompt_tokens: -1 } }])(
    'is unknown of %j',
    answer => {
      expect(usedBy(answer)).toEqual({})
    },
  )

  it('grows over the events of a stream', () => {
    const events = [
      { type: 'message_start', message: { model: 'm', usage: { input_tokens: 10, output_tokens: 1 } } },
      { type: 'ping' },
      { type: 'message_delta', usage: { output_tokens: 7 } },
    ]
    expect(events.map(usedBy).reduce(usedSoFar, {})).toEqual({ model: 'm', usage: used(10, 7) })
  })
})
