import { type Facts, idOf, tokensOf } from '../facts.ts'
import { type Answer, piecesOf, type StreamEvent, type VendorAnswer } from './shape.ts'

/** OpenAI Responses. */
export function responsesAnswer(facts: Facts, answer: Answer): VendorAnswer {
  const cut = { length: 'max_output_tokens', refusal: 'content_filter', stop: null, tool: null }[answer.ends]
  const output = outputOf(facts, answer)
  const response = {
    ...responseHead(facts),
    status: cut === null ? 'completed' : 'incomplete',
    incomplete_details: cut === null ? null : { reason: cut },
    output,
    usage: usageOf(facts, answer),
  }
  const started = { ...responseHead(facts), status: 'in_progress', output: [], usage: null }
  const events = [
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...output.flatMap(itemEvents),
    { type: cut === null ? 'response.completed' : 'response.incomplete', response },
  ]
  return { whole: response, events: numbered(events), headers: { 'x-request-id': idOf('req_', facts) } }
}

/** What every form of a response begins with. */
export function responseHead(facts: Facts): Record<string, unknown> {
  return {
    id: idOf('resp_', facts),
    object: 'response',
    created_at: Math.floor(facts.now / 1_000),
    model: facts.request.model,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
  }
}

/** Adds the name and a running number to each event. */
export function numbered(events: readonly ({ type: string } & Record<string, unknown>)[]): StreamEvent[] {
  return events.map((data, index) => ({ event: data.type, data: { ...data, sequence_number: index } }))
}

function usageOf(facts: Facts, answer: Answer) {
  const [input, output] = [tokensOf(facts.request.text), tokensOf(answer.text)]
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
}

type Item =
  | {
      type: 'message'
      id: string
      status: string
      role: 'assistant'
      content: { type: 'output_text'; text: string; annotations: never[] }[]
    }
  | { type: 'function_call'; id: string; call_id: string; name: string; arguments: string; status: string }

function outputOf(facts: Facts, answer: Answer): Item[] {
  const items: Item[] = []
  if (answer.text !== '')
    items.push({
      type: 'message',
      id: idOf('msg_', facts),
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: answer.text, annotations: [] }],
    })
  if (answer.ends === 'tool')
    items.push({
      type: 'function_call',
      id: idOf('fc_', facts),
      call_id: idOf('call_', facts),
      name: answer.tool.name,
      arguments: JSON.stringify(answer.tool.input),
      status: 'completed',
    })
  return items
}

function itemEvents(item: Item, output_index: number): ({ type: string } & Record<string, unknown>)[] {
  const at = { item_id: item.id, output_index }
  if (item.type === 'function_call')
    return [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, arguments: '', status: 'in_progress' },
      },
      { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments },
      { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments },
      { type: 'response.output_item.done', output_index, item },
    ]
  const [part] = item.content
  const text = part?.text ?? ''
  const inPart = { ...at, content_index: 0 }
  return [
    {
      type: 'response.output_item.added',
      output_index,
      item: { ...item, status: 'in_progress', content: [] },
    },
    { type: 'response.content_part.added', ...inPart, part: { ...part, text: '' } },
    ...piecesOf(text).map(delta => ({ type: 'response.output_text.delta', ...inPart, delta })),
    { type: 'response.output_text.done', ...inPart, text },
    { type: 'response.content_part.done', ...inPart, part },
    { type: 'response.output_item.done', output_index, item },
  ]
}
