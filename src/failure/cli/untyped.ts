import type { AgentEvent } from './event.ts'
import { answered, type EventMeaning, failed, IGNORED, NONE, warned } from './meaning.ts'

/** What an untyped object means that no profile recognises: a log line, a tool's result, an error. */
export function otherUntyped(event: AgentEvent): EventMeaning {
  const level = event.get('level')
  if (level !== undefined && (event.has('msg') || event.has('message'))) return logLine(event, level)
  const tool = toolResult(event) ?? toolResult(event.inner('result')) ?? toolResult(event.inner('response'))
  if (tool) return tool
  const error = event.get('error')
  if (error !== undefined && error !== null && error !== '') return failed(event.value)
  const status = event.get('status')
  if (status === 'error' && event.has('message')) return failed(event.value)
  if (status === 'success' && event.has('response')) return answered(event.get('response'))
  return NONE
}

/** An MCP tool's result that a client printed: the text of a failed one is the failure. */
function toolResult(result: AgentEvent | undefined): EventMeaning | undefined {
  const flag = result?.get('isError') ?? result?.get('is_error')
  return result?.has('content') && flag === true ? failed([result.get('content')]) : undefined
}

/** A log line: pino numbers its levels, other loggers name them. */
function logLine({ value }: AgentEvent, level: unknown): EventMeaning {
  if (typeof level === 'number') return level >= 50 ? NONE : level >= 40 ? warned(value) : IGNORED
  if (/^(?:error|fatal|critical)/i.test(String(level))) return NONE
  return /^warn/i.test(String(level)) ? warned(value) : IGNORED
}
