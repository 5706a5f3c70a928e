import { isBanner } from '../text/lines.ts'
import {
  answered,
  BEGAN,
  CLOSED,
  type EventMeaning,
  failed,
  IGNORED,
  inner,
  NONE,
  PAUSED,
  type ReadFields,
  retrying,
  SUCCEEDED,
  stopped,
  WORKED,
} from './meaning.ts'
import { isBadFinish, isBadStop } from './model-answer.ts'
import type { Fields } from './read.ts'
import { chatMessage, syntheticMessage, withResultAsText } from './result.ts'
import { meaningOfUntyped } from './untyped.ts'

type EventReader = (value: object, fields: Fields, read: ReadFields) => EventMeaning

/** What one line of an agent's JSON output means for the run. */
export function meaningOf(value: object, read: ReadFields): EventMeaning {
  const fields = read(value)
  const type = fields.get('type')
  if (fields.get('role') === 'meta') return type === 'turn.step.retrying' ? retrying(value) : IGNORED
  if (typeof type !== 'string') return meaningOfUntyped(value, fields, read)
  const known = isEventType(type) ? TYPED[type] : undefined
  if (known) return known(value, fields, read)
  if (WORK.test(type)) return WORKED
  return isRecord(fields) ? IGNORED : NONE
}

/** True for the type of an event that tells how a run goes. */
export function isEventType(type: string): boolean {
  return Object.hasOwn(TYPED, type)
}

/** An answer that the vendor refused or cut: the word that says why it stopped tells, not how the run calls its end. */
function badEndOf(fields: Fields | undefined): EventMeaning | undefined {
  const reason = fields?.get('stop_reason') ?? fields?.get('stopReason') ?? fields?.get('finish_reason')
  return isBadStop(reason) || isBadFinish(reason)
    ? stopped({ stop_reason: reason, message: `the model stopped with ${String(reason)}` })
    : undefined
}

/** Parts of an answer; a stream also begins, pings, and with Qwen Code tells of goals before anything is asked. */
const CONTENT = /^(?:content_block_|message_delta$)/

/** What codex's model said or did; its warnings come as items too, also before the first request. */
function item(_value: object, fields: Fields, read: ReadFields): EventMeaning {
  return inner(fields, 'item', read)?.get('type') === 'error' ? IGNORED : WORKED
}

/** Gemini CLI calls this a warning, and the end that follows a success. */
const GAVE_UP = /^(?:A potential )?loop (?:was )?detected\b/i

/** What opencode's finish reason `unknown` stands for, in words that the catalogue knows. */
export const NO_FINISH_REASON = 'the stream ended without a finish reason'

const BAD_STATUS = /^(?:error|fail|abort|cancel|time)/i

const TYPED: Record<string, EventReader> = {
  result: (value, fields) => {
    if (fields.has('exitCode')) return fields.get('exitCode') === 0 ? SUCCEEDED : failed({})
    if (fields.has('success'))
      return fields.get('success') === true
        ? answered(fields.get('content'))
        : failed({ message: fields.get('content') })
    if (fields.has('status')) return BAD_STATUS.test(String(fields.get('status'))) ? failed(value) : SUCCEEDED
    const subtype = fields.get('subtype')
    const bad =
      fields.get('is_error') === true || (typeof subtype === 'string' && /^(error|fail)/.test(subtype))
    if (bad) return failed(withResultAsText(fields))
    // A good end of a run whose last answer was refused or cut.
    return badEndOf(fields) ?? answered(fields.get('result'))
  },
  completion: (_value, fields) => answered(fields.get('finalText')),
  complete: () => CLOSED,
  'turn.started': () => BEGAN,
  'turn.completed': () => SUCCEEDED,
  'turn.failed': value => failed(value),
  'item.started': item,
  'item.updated': item,
  'item.completed': item,
  error: (value, fields) => {
    const message = fields.get('message') ?? fields.get('content')
    if (typeof message === 'string' && GAVE_UP.test(message)) return stopped({ message })
    const goesOn =
      fields.get('severity') === 'warning' ||
      fields.get('recoverable') === true ||
      fields.get('willRetry') === true
    if (goesOn || (typeof message === 'string' && isBanner(message))) return retrying(value)
    return failed(fields.has('content') ? { message } : value)
  },
  'session.error': (value, fields, read) =>
    inner(fields, 'data', read)?.get('errorType') === 'model_call' ? retrying(value) : failed(value),
  'session.info': (value, fields, read) =>
    inner(fields, 'data', read)?.get('infoType') === 'model_retry' ? retrying(value) : IGNORED,
  'session.status': (value, fields, read) =>
    inner(fields, 'status', read)?.get('type') === 'retry' ? retrying(value) : IGNORED,
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
    if (reason === 'length' || reason === 'content-filter' || reason === 'error')
      return failed({ finishReason: reason })
    // The stream ended without telling why: opencode asks again, without end.
    if (reason === 'unknown') return failed({ message: NO_FINISH_REASON })
    // After tools another step has to come; vendors whose reason opencode does not know end like this.
    return reason === 'tool-calls' ? WORKED : PAUSED
  },
  system: (value, fields) => (fields.get('subtype') === 'api_retry' ? retrying(value) : IGNORED),
  rate_limit_event: (value, fields, read) =>
    inner(fields, 'rate_limit_info', read)?.get('status') === 'rejected' ? retrying(value) : IGNORED,
  assistant: (_value, fields, read) =>
    syntheticMessage(fields, read) ?? badEndOf(inner(fields, 'message', read)) ?? WORKED,
  stream_event: (_value, fields, read) =>
    CONTENT.test(String(inner(fields, 'event', read)?.get('type'))) ? WORKED : IGNORED,
  message: (_value, fields, read) =>
    fields.get('role') === 'user' ? IGNORED : chatMessage(fields.get('message'), read),
  user: () => IGNORED,
}

const WORK = /^(?:tool[._]|item\.|assistant\.(?!turn_start)|text$|reasoning$|thinking$)/

/** Lines of a stream always carry one of these; other objects with a `type` are data. */
export function isRecord(fields: Fields): boolean {
  return ['timestamp', 'session_id', 'sessionID', 'ts', 'thread_id', 'uuid', 'parentId', 'done'].some(key =>
    fields.has(key),
  )
}
