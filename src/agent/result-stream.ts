import { amountIn, type Fields, listIn, objectIn, textIn, textOfContent } from './fields.ts'
import type { Usage } from './outcome.ts'
import type { Reading } from './reading.ts'

/** The stream of Claude Code, which Qwen Code copied: `system`, `assistant`, `user`, and a `result` at the end. */
export function readResultStream(event: Fields, reading: Reading): void {
  reading.sessionId = textIn(event.session_id) ?? reading.sessionId
  switch (event.type) {
    case 'system':
      system(event, reading)
      break
    case 'assistant':
      assistant(event, reading)
      break
    case 'user':
      user(event, reading)
      break
    case 'stream_event':
      if (CONTENT.test(textIn(objectIn(event.event).type) ?? '')) reading.worked()
      break
    case 'result':
      result(event, reading)
      break
    default:
      if (!BESIDE_WORK.has(String(event.type))) reading.unknown()
  }
}

/** Parts of an answer; a stream also begins, pings, and with Qwen Code tells of goals before anything is asked. */
const CONTENT = /^(?:content_block_|message_delta$)/
/** Events that tell of neither the model nor a tool. */
const BESIDE_WORK = new Set([
  'rate_limit_event',
  'keep_alive',
  'auth_status',
  'control_request',
  'control_response',
])
const TOOL_USE = /tool_use$/
/** How Qwen Code puts the text of an API failure into the mouth of the assistant. */
const API_ERROR = /^\[API Error: /

function system(event: Fields, reading: Reading): void {
  if (event.subtype === 'init') reading.model = textIn(event.model) ?? reading.model
  if (event.subtype !== 'api_retry') return
  const delayMs = amountIn(event.retry_delay_ms)
  reading.selfRetried({ cause: event, ...(delayMs === undefined ? {} : { delayMs }) })
}

function assistant(event: Fields, reading: Reading): void {
  const message = objectIn(event.message)
  const text = textOfContent(message.content)
  const usage = usageIn(message.usage)
  // The text of an API failure is put into the mouth of the assistant: nobody worked.
  if (event.error !== undefined || message.model === '<synthetic>') return
  if (API_ERROR.test(text) && !usage?.inputTokens && !usage?.outputTokens) return
  if (listIn(message.content).some(part => TOOL_USE.test(textIn(objectIn(part).type) ?? '')))
    reading.usedTool()
  else reading.worked()
  if (text !== '') reading.text = text
  // A message comes in several events, one for each of its blocks.
  if (message.id !== undefined && message.id === reading.messageId) return
  reading.messageId = message.id
  if (usage) reading.addUsage(usage)
  reading.turn()
}

/** What tools answered comes in the name of the user; so does what the CLI itself tells the model. */
function user(event: Fields, reading: Reading): void {
  const parts = listIn(objectIn(event.message).content).map(objectIn)
  if (parts.some(part => part.type === 'tool_result')) reading.usedTool()
  else reading.worked()
}

function result(event: Fields, reading: Reading): void {
  const isFailed = event.is_error === true || /^(?:error|fail)/.test(textIn(event.subtype) ?? '')
  reading.hasResult = true
  reading.ended = isFailed ? 'failed' : 'succeeded'
  if (!isFailed) {
    reading.text = typeof event.result === 'string' ? event.result : reading.text
    reading.structured = event.structured_output
  }
  reading.deniedTools = listIn(event.permission_denials).map(
    denial => textIn(objectIn(denial).tool_name) ?? 'unnamed',
  )
  reading.total({
    usd: amountIn(event.total_cost_usd) ?? amountIn(event.cost_usd),
    turns: amountIn(event.num_turns),
    usage: usageIn(event.usage),
  })
}

/** Cached input is counted beside the fresh one there, and as a part of it here. */
function usageIn(value: unknown): Usage | undefined {
  const usage = objectIn(value)
  const fresh = amountIn(usage.input_tokens)
  const outputTokens = amountIn(usage.output_tokens)
  if (fresh === undefined && outputTokens === undefined) return undefined
  const cachedTokens = amountIn(usage.cache_read_input_tokens) ?? 0
  const written = amountIn(usage.cache_creation_input_tokens) ?? 0
  return {
    inputTokens: (fresh ?? 0) + cachedTokens + written,
    outputTokens: outputTokens ?? 0,
    cachedTokens,
  }
}
