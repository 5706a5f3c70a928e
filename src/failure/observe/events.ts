import { elements, type Fields, isObject } from './read.ts'

/**
 * What one line of an agent's JSON output means for the run. Families: Claude-like `result` lines (claude,
 * qwen, amp, cursor, droid), Codex-like turns, opencode's steps, gemini's single object, copilot's session
 * events, cline's and roo's results, goose's messages.
 */
export type EventMeaning =
  | { role: 'failed'; content: unknown }
  | { role: 'succeeded' }
  /** The agent tries again by itself: the cause it names counts only if nothing else is said. */
  | { role: 'retrying'; content: unknown }
  /** Work was done: a turn, a tool, a piece of the answer. */
  | { role: 'worked' }
  | { role: 'ignored' }
  /** No event at all: plain data. */
  | { role: 'none' }

type ReadFields = (value: object) => Fields

export function meaningOf(value: object, read: ReadFields): EventMeaning {
  const fields = read(value)
  const type = fields.get('type')
  if (fields.get('role') === 'meta') return type === 'turn.step.retrying' ? retrying(value) : { role: 'ignored' }
  if (typeof type !== 'string') return untyped(value, fields)
  const known = TYPED[type]
  if (known) return known(value, fields, read)
  if (WORK.has(type)) return { role: 'worked' }
  return isRecord(fields) ? { role: 'ignored' } : { role: 'none' }
}

const failed = (content: unknown): EventMeaning => ({ role: 'failed', content })
const retrying = (content: unknown): EventMeaning => ({ role: 'retrying', content })

const TYPED: Record<string, (value: object, fields: Fields, read: ReadFields) => EventMeaning> = {
  result: (value, fields) => {
    if (fields.has('exitCode')) return fields.get('exitCode') === 0 ? { role: 'succeeded' } : failed({})
    if (fields.has('success')) return fields.get('success') === true ? { role: 'succeeded' } : failed(value)
    if (fields.get('status') === 'error') return failed(value)
    const subtype = fields.get('subtype')
    const bad = fields.get('is_error') === true || (typeof subtype === 'string' && /^(error|fail)/.test(subtype))
    return bad ? failed(withResultAsText(fields)) : { role: 'succeeded' }
  },
  'turn.completed': () => ({ role: 'succeeded' }),
  'turn.failed': value => failed(value),
  error: (value, fields) => {
    const message = fields.get('message')
    if (typeof message === 'string' && /^reconnecting\b/i.test(message)) return retrying(value)
    if (fields.get('severity') === 'warning') return retrying(value)
    return failed(value)
  },
  'session.error': (value, fields, read) => {
    const data = fields.get('data')
    return isObject(data) && read(data).get('errorType') === 'model_call' ? retrying(value) : failed(value)
  },
  'session.info': value => retrying(value),
  run_result: (value, fields) => (fields.get('finishReason') === 'completed' ? { role: 'succeeded' } : failed(value)),
  run_aborted: value => failed(value),
  step_finish: (_value, fields, read) => {
    const part = fields.get('part')
    return isObject(part) && read(part).get('reason') === 'stop' ? { role: 'succeeded' } : { role: 'worked' }
  },
  system: (value, fields) => (fields.get('subtype') === 'api_retry' ? retrying(value) : { role: 'ignored' }),
  rate_limit_event: (value, fields, read) => {
    const info = fields.get('rate_limit_info')
    return isObject(info) && read(info).get('status') === 'rejected' ? retrying(value) : { role: 'ignored' }
  },
  completion: () => ({ role: 'succeeded' }),
  message: (_value, fields, read) => gooseMessage(fields, read),
  'item.completed': (_value, fields, read) => {
    const item = fields.get('item')
    return isObject(item) && read(item).get('type') === 'error' ? { role: 'ignored' } : { role: 'worked' }
  },
}

const WORK = new Set(`assistant tool_use tool_call tool_result text reasoning item.started item.updated agent_event
  assistant.message tool.execution_start thinking stream_event`.split(/\s+/))

/** Lines of a stream always carry one of these; other objects with a `type` are data. */
function isRecord(fields: Fields): boolean {
  return fields.has('timestamp') || fields.has('session_id') || fields.has('sessionID') || fields.has('ts') || fields.has('thread_id') || fields.has('uuid')
}

function untyped(value: object, fields: Fields): EventMeaning {
  if (fields.get('kind') === 'ConversationErrorEvent') return failed(value)
  const error = fields.get('error')
  if (error !== undefined && error !== null && error !== '') return failed(value)
  if (fields.has('session_id') && typeof fields.get('response') === 'string') return { role: 'succeeded' }
  const status = fields.get('status')
  if (status === 'error' && fields.has('message')) return failed(value)
  if (status === 'success' && fields.has('response')) return { role: 'succeeded' }
  return { role: 'none' }
}

/** `result` is the answer of a good run and the error text of a bad one; only here is it known which. */
function withResultAsText(fields: Fields): unknown {
  const content: Record<string, unknown> = Object.fromEntries(fields)
  const errors = elements(fields.get('errors'), 8)
  if (typeof content.result === 'string' && errors.length === 0) content.message = content.result
  // The synthetic message of an API failure ends in a stop sequence that no model wrote.
  delete content.stop_reason
  delete content.result
  return content
}

/** goose reports provider failures as assistant messages and ends with success. */
function gooseMessage(fields: Fields, read: ReadFields): EventMeaning {
  const message = fields.get('message')
  if (!isObject(message)) return { role: 'worked' }
  for (const part of elements(read(message).get('content'), 8)) {
    const text = isObject(part) ? read(part).get('text') : undefined
    if (typeof text === 'string' && GOOSE_FAILURE.test(text)) return failed({ message: text })
  }
  return { role: 'worked' }
}

const GOOSE_FAILURE = /^(?:Ran into this error|Network error:|Please add credits|I've reached the maximum number of actions)/
