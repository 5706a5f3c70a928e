import { type Facts, idOf, tokensOf } from '../facts.ts'
import { type Answer, piecesOf, type StreamEvent, type VendorAnswer } from './shape.ts'

const STOPS = { stop: 'end_turn', length: 'max_tokens', refusal: 'refusal', tool: 'tool_use' } as const

/** Anthropic Messages. */
export function messagesAnswer(facts: Facts, answer: Answer): VendorAnswer {
  const { model, text: asked } = facts.request
  const usage = {
    input_tokens: tokensOf(asked),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: tokensOf(answer.text),
    service_tier: 'standard',
  }
  const content = contentOf(facts, answer)
  const message = {
    id: idOf('msg_', facts),
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: STOPS[answer.ends],
    stop_sequence: null,
    usage,
  }
  const events: StreamEvent[] = [
    named('message_start', {
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    }),
    named('ping', {}),
    ...content.flatMap((block, index) => blockEvents(block, index)),
    named('message_delta', {
      delta: { stop_reason: message.stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    }),
    named('message_stop', {}),
  ]
  return { whole: message, events, headers: { 'request-id': idOf('req_', facts) } }
}

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: unknown }

function contentOf(facts: Facts, answer: Answer): Block[] {
  if (answer.ends === 'refusal') return []
  const text: Block[] = answer.text === '' ? [] : [{ type: 'text', text: answer.text }]
  return answer.ends === 'tool'
    ? [...text, { type: 'tool_use', id: idOf('toolu_', facts), ...answer.tool }]
    : text
}

function blockEvents(block: Block, index: number): StreamEvent[] {
  const [empty, deltas] =
    block.type === 'text'
      ? [{ ...block, text: '' }, piecesOf(block.text).map(text => ({ type: 'text_delta', text }))]
      : [{ ...block, input: {} }, [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]]
  return [
    named('content_block_start', { index, content_block: empty }),
    ...deltas.map(delta => named('content_block_delta', { index, delta })),
    named('content_block_stop', { index }),
  ]
}

function named(event: string, data: Record<string, unknown>): StreamEvent {
  return { event, data: { type: event, ...data } }
}
