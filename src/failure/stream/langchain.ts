import { constructorName, dataOf } from '../observe/read.ts'
import { CONTENT, ENVELOPE, type Grammar, objectOf, saysSomething, textOf } from './grammar.ts'

const WORDS = ['finish_reason', 'stop_reason', 'finishReason', 'done_reason']

/** Message chunks of LangChain, which keep the vendor's word beside the text. */
export const LANGCHAIN: Grammar = {
  recognises: event =>
    objectOf(event, 'response_metadata') !== undefined &&
    objectOf(event, 'additional_kwargs') !== undefined &&
    ('tool_call_chunks' in event || constructorName(event)?.endsWith('MessageChunk') === true),
  begin() {
    let hasContent = false
    return event => {
      const reading = hasWords(event) ? CONTENT : ENVELOPE
      const finish = wordOf(event)
      if (finish !== '') return { ...reading, finish }
      if (reading === CONTENT) hasContent = true
      return hasContent && reading === ENVELOPE && hasUsage(event) ? { finish: '' } : reading
    }
  },
}

function hasWords(chunk: object): boolean {
  return (
    saysSomething(dataOf(chunk, 'content')) ||
    saysSomething(dataOf(chunk, 'tool_call_chunks')) ||
    saysSomething(dataOf(objectOf(chunk, 'additional_kwargs') ?? {}, 'reasoning_content'))
  )
}

function wordOf(chunk: object): string {
  for (const place of ['response_metadata', 'additional_kwargs']) {
    const said = objectOf(chunk, place) ?? {}
    for (const name of WORDS) if (textOf(said, name) !== '') return textOf(said, name)
  }
  const metadata = objectOf(chunk, 'response_metadata') ?? {}
  const status = textOf(metadata, 'status')
  if (status === 'incomplete')
    return textOf(objectOf(metadata, 'incomplete_details') ?? {}, 'reason') || status
  return status === 'completed' || status === 'failed' ? status : ''
}

function hasUsage(chunk: object): boolean {
  const tokens = dataOf(objectOf(chunk, 'usage_metadata') ?? {}, 'output_tokens')
  return typeof tokens === 'number' && tokens > 0
}
