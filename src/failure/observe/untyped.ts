import {
  answered,
  type EventMeaning,
  failed,
  IGNORED,
  inner,
  NONE,
  type ReadFields,
  retrying,
  SUCCEEDED,
  textsOf,
  WORKED,
} from './meaning.ts'
import type { Fields } from './read.ts'

/** What an object without a `type` means: gemini's and goose's single objects, kimi's messages, OpenHands' kinds, logs. */
export function meaningOfUntyped(value: object, fields: Fields, read: ReadFields): EventMeaning {
  const kind = fields.get('kind')
  if (kind === 'ConversationErrorEvent') return failed(value)
  if (typeof kind === 'string' && /Event$/.test(kind)) return WORKED
  const role = fields.get('role')
  if ((role === 'assistant' || role === 'tool') && fields.has('content')) return WORKED
  const status = inner(fields, 'info', read)?.get('exit_status')
  if (typeof status === 'string') return exitStatus(status)
  const level = fields.get('level')
  if (level !== undefined && (fields.has('msg') || fields.has('message'))) return logLine(value, level)
  const tool =
    toolResult(fields) ??
    toolResult(inner(fields, 'result', read)) ??
    toolResult(inner(fields, 'response', read))
  if (tool) return tool
  const error = fields.get('error')
  if (error !== undefined && error !== null && error !== '') return failed(value)
  if (fields.has('session_id') && typeof fields.get('response') === 'string')
    return answered(fields.get('response'))
  if (fields.has('messages') && fields.has('metadata')) return chatMessages(fields, read)
  if (fields.get('status') === 'error' && fields.has('message')) return failed(value)
  if (fields.get('status') === 'success' && fields.has('response')) return answered(fields.get('response'))
  return NONE
}

/** An MCP tool's result that a client printed: the text of a failed one is the failure. */
function toolResult(fields: Fields | undefined): EventMeaning | undefined {
  const flag = fields?.get('isError') ?? fields?.get('is_error')
  return fields?.has('content') && flag === true ? failed([fields.get('content')]) : undefined
}

/** A logger's line: pino counts, others name their levels. */
function logLine(value: object, level: unknown): EventMeaning {
  if (typeof level === 'number') return level >= 50 ? NONE : level >= 40 ? retrying(value) : IGNORED
  if (/^(?:error|fatal|critical)/i.test(String(level))) return NONE
  return /^warn/i.test(String(level)) ? retrying(value) : IGNORED
}

/** SWE-agent submits what it has when it is stopped early: "submitted (exit_cost)". */
function exitStatus(status: string): EventMeaning {
  const reason = /\bexit_\w+/.exec(status)?.[0] ?? status
  return reason === 'submitted' || reason === 'exit_forfeit' ? SUCCEEDED : failed({ exit_status: reason })
}

function chatMessages(fields: Fields, read: ReadFields): EventMeaning {
  const all = fields.get('messages')
  const last = Array.isArray(all) ? all.at(-1) : undefined
  return answered(textsOf(last, read).at(-1))
}
