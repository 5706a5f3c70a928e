import { type Facts, idOf, tokensOf } from '../facts.ts'
import { type Answer, piecesOf, type StreamEvent, type VendorAnswer } from './shape.ts'

const FINISHES = { stop: 'stop', length: 'length', refusal: 'content_filter', tool: 'tool_calls' } as const

/** OpenAI Chat Completions. */
export function chatAnswer(facts: Facts, answer: Answer): VendorAnswer {
  const { model, text: asked, body } = facts.request
  const [prompt, completion] = [tokensOf(asked), tokensOf(answer.text)]
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
  const head = { id: idOf('chatcmpl-', facts), created: Math.floor(facts.now / 1_000), model }
  const tools =
    answer.ends === 'tool'
      ? [
          {
            id: idOf('call_', facts),
            type: 'function',
            function: { name: answer.tool.name, arguments: JSON.stringify(answer.tool.input) },
          },
        ]
      : undefined
  const finish = FINISHES[answer.ends]
  const message = {
    role: 'assistant',
    content: answer.text === '' ? null : answer.text,
    refusal: null,
    ...(tools ? { tool_calls: tools } : {}),
  }
  const chunk = (delta: object, finish_reason: string | null = null): StreamEvent => ({
    data: { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] },
  })
  const options = body.stream_options as { include_usage?: boolean } | undefined
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...piecesOf(answer.text).map(content => chunk({ content })),
    ...(tools ? [chunk({ tool_calls: tools.map((call, index) => ({ index, ...call })) })] : []),
    chunk({}, finish),
    ...(options?.include_usage
      ? [{ data: { ...head, object: 'chat.completion.chunk', choices: [], usage } }]
      : []),
    { data: '[DONE]' },
  ]
  return {
    whole: {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
      usage,
    },
    events,
    headers: { 'x-request-id': idOf('req_', facts) },
  }
}
