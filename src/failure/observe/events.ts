import { isBanner } from '../text/lines.ts'
import { isStopNotice } from './notice.ts'
import { elements, type Fields, isObject } from './read.ts'

/**
 * What one line of an agent's JSON output means for the run. Families: Claude-like `result` lines (claude,
 * qwen, amp, cursor, droid), Codex's turns, opencode's steps, gemini's single object, copilot's session
 * events, cline's and roo's results, goose's and kimi's messages, OpenHands' kinds.
 */
export type EventMeaning =
  | { role: 'failed'; content: unknown }
  | { role: 'succeeded' }
  /** The run is over; good, unless a failure stands before it. */
  | { role: 'closed' }
  /** A turn or step begins: an earlier end was not the last one. */
  | { role: 'began' }
  /** The agent tries again by itself: the cause it names counts only if nothing else is said. */
  | { role: 'retrying'; content: unknown }
  /** Work was done: a turn, a tool, a piece of the answer. */
  | { role: 'worked' }
  | { role: 'ignored' }
  /** No event at all: plain data. */
  | { role: 'none' }

type ReadFields = (value: object) => Fields
type EventReader = (value: object, fields: Fields, read: ReadFields) => EventMeaning

export function meaningOf(value: object, read: ReadFields): EventMeaning {
  const fields = read(value)
  const type = fields.get('type')
  if (fields.get('role') === 'meta') return type === 'turn.step.retrying' ? retrying(value) : IGNORED
  if (typeof type !== 'string') return untyped(value, fields, read)
  const known = TYPED[type]
  if (known) return known(value, fields, read)
  if (WORK.test(type)) return WORKED
  return isRecord(fields) ? IGNORED : { role: 'none' }
}

const WORKED: EventMeaning = { role: 'worked' }
const IGNORED: EventMeaning = { role: 'ignored' }
const SUCCEEDED: EventMeaning = { role: 'succeeded' }
const BEGAN: EventMeaning = { role: 'began' }
const failed = (content: unknown): EventMeaning => ({ role: 'failed', content })
const retrying = (content: unknown): EventMeaning => ({ role: 'retrying', content })

/** A good end, unless what it gives as the answer is a notice that there is none. */
function answered(answer: unknown): EventMeaning {
  return typeof answer === 'string' && isStopNotice(answer) ? failed({ message: answer }) : SUCCEEDED
}

const TYPED: Record<string, EventReader> = {
  result: (value, fields) => {
    if (fields.has('exitCode')) return fields.get('exitCode') === 0 ? SUCCEEDED : failed({})
    if (fields.has('success')) return fields.get('success') === true ? answered(fields.get('content')) : failed({ message: fields.get('content') })
    if (fields.has('status')) return fields.get('status') === 'error' ? failed(value) : SUCCEEDED
    const subtype = fields.get('subtype')
    const bad = fields.get('is_error') === true || (typeof subtype === 'string' && /^(error|fail)/.test(subtype))
    return bad ? failed(withResultAsText(fields)) : answered(fields.get('result'))
  },
  completion: (_value, fields) => answered(fields.get('finalText')),
  complete: () => ({ role: 'closed' }),
  'turn.started': () => BEGAN,
  'turn.completed': () => SUCCEEDED,
  'turn.failed': value => failed(value),
  'item.completed': (_value, fields, read) => (inner(fields, 'item', read)?.get('type') === 'error' ? IGNORED : WORKED),
  error: (value, fields) => {
    const message = fields.get('message') ?? fields.get('content')
    const goesOn = fields.get('severity') === 'warning' || fields.get('recoverable') === true || fields.get('willRetry') === true
    if (goesOn || (typeof message === 'string' && isBanner(message))) return retrying(value)
    return failed(fields.has('content') ? { message } : value)
  },
  'session.error': (value, fields, read) => (inner(fields, 'data', read)?.get('errorType') === 'model_call' ? retrying(value) : failed(value)),
  'session.info': (value, fields, read) => (inner(fields, 'data', read)?.get('infoType') === 'model_retry' ? retrying(value) : IGNORED),
  'session.status': (value, fields, read) => (inner(fields, 'status', read)?.get('type') === 'retry' ? retrying(value) : IGNORED),
  run_result: (_value, fields) => {
    const finishReason = fields.get('finishReason')
    if (finishReason === 'completed') return answered(fields.get('text'))
    return failed(finishReason === 'error' ? { message: fields.get('text') } : { finishReason })
  },
  run_aborted: () => failed({ finishReason: 'aborted' }),
  agent_event: (_value, fields, read) => {
    const event = inner(fields, 'event', read)
    if (event?.get('type') !== 'error') return WORKED
    return event.get('recoverable') === true ? retrying(fields.get('event')) : failed(fields.get('event'))
  },
  step_start: () => BEGAN,
  step_finish: (_value, fields, read) => {
    const reason = inner(fields, 'part', read)?.get('reason')
    if (reason === 'stop') return SUCCEEDED
    return reason === 'length' || reason === 'content-filter' ? failed({ finishReason: reason }) : WORKED
  },
  system: (value, fields) => (fields.get('subtype') === 'api_retry' ? retrying(value) : IGNORED),
  rate_limit_event: (value, fields, read) => (inner(fields, 'rate_limit_info', read)?.get('status') === 'rejected' ? retrying(value) : IGNORED),
  assistant: (_value, fields, read) => syntheticMessage(fields, read) ?? WORKED,
  stream_event: (_value, fields, read) => (inner(fields, 'event', read)?.get('type') === 'message_start' ? IGNORED : WORKED),
  message: (_value, fields, read) => (fields.get('role') === 'user' ? IGNORED : chatMessage(fields.get('message'), read)),
  user: () => IGNORED,
}

const WORK = /^(?:tool[._]|item\.|assistant\.(?!turn_start)|text$|reasoning$|thinking$)/

function inner(fields: Fields, key: string, read: ReadFields): Fields | undefined {
  const value = fields.get(key)
  return isObject(value) ? read(value) : undefined
}

/** Lines of a stream always carry one of these; other objects with a `type` are data. */
function isRecord(fields: Fields): boolean {
  return ['timestamp', 'session_id', 'sessionID', 'ts', 'thread_id', 'uuid', 'parentId', 'done'].some(key => fields.has(key))
}

function untyped(value: object, fields: Fields, read: ReadFields): EventMeaning {
  const kind = fields.get('kind')
  if (kind === 'ConversationErrorEvent') return failed(value)
  if (typeof kind === 'string' && /Event$/.test(kind)) return WORKED
  const role = fields.get('role')
  if ((role === 'assistant' || role === 'tool') && fields.has('content')) return WORKED
  const status = inner(fields, 'info', read)?.get('exit_status')
  if (typeof status === 'string') return status === 'submitted' || status === 'exit_forfeit' ? SUCCEEDED : failed({ exit_status: status })
  const error = fields.get('error')
  if (error !== undefined && error !== null && error !== '') return failed(value)
  if (fields.has('session_id') && typeof fields.get('response') === 'string') return answered(fields.get('response'))
  if (fields.has('messages') && fields.has('metadata')) return chatMessages(fields, read)
  if (fields.get('status') === 'error' && fields.has('message')) return failed(value)
  if (fields.get('status') === 'success' && fields.has('response')) return answered(fields.get('response'))
  return { role: 'none' }
}

/** Words of `terminal_reason` that only say that the reason stands elsewhere. */
const SILENT_REASONS = new Set(['api_error', 'model_error', 'completed', 'stop_hook_prevented', 'hook_stopped', 'tool_deferred', 'background_requested'])

/** `result` is the answer of a good run and the error text of a bad one; only here is it known which. */
function withResultAsText(fields: Fields): unknown {
  const content: Record<string, unknown> = Object.fromEntries(fields)
  const errors = elements(fields.get('errors'), 8)
  if (typeof content.result === 'string' && errors.length === 0) content.message = content.result
  // The synthetic message of an API failure ends in a stop sequence that no model wrote.
  if (content.stop_reason !== 'refusal') delete content.stop_reason
  if (SILENT_REASONS.has(content.terminal_reason as string)) delete content.terminal_reason
  delete content.result
  return content
}

/** Claude Code puts the text of an API failure into the mouth of the assistant; the run may still go on. */
function syntheticMessage(fields: Fields, read: ReadFields): EventMeaning | undefined {
  const message = fields.get('message')
  const made = fields.has('error') || fields.get('isApiErrorMessage') === true || (isObject(message) && read(message).get('model') === '<synthetic>')
  if (!made) return undefined
  const text = textsOf(message, read).join('\n')
  // The word in `error` is the vaguer of the two: "high load" carries rate_limit, a lost connection server_error.
  return failed(text === '' ? { error: fields.get('error') } : { message: text })
}

/** goose reports provider failures as messages of the assistant and ends with success. */
function chatMessage(message: unknown, read: ReadFields): EventMeaning {
  const notice = textsOf(message, read).find(isStopNotice)
  return notice === undefined ? WORKED : failed({ message: notice })
}

function chatMessages(fields: Fields, read: ReadFields): EventMeaning {
  const all = fields.get('messages')
  const last = Array.isArray(all) ? all.at(-1) : undefined
  return answered(textsOf(last, read).at(-1))
}

function textsOf(message: unknown, read: ReadFields): string[] {
  if (!isObject(message)) return []
  const parts = elements(read(message).get('content'), 8).filter(isObject)
  return parts.map(part => read(part).get('text')).filter(text => typeof text === 'string')
}
