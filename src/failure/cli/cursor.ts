import type { AgentEvent } from './event.ts'
import type { AgentProfile } from './profile.ts'

/** Cursor CLI. Prints a stream like Claude Code's. */
export const cursor: AgentProfile = {
  name: 'cursor',
  names: ['cursor', 'cursor-agent', 'cursor-cli'],
  isOwnEvent,
  endsWithEvent: true,
  failsOnStderr: true,
  sessionField: 'session_id',
}

function isOwnEvent(event: AgentEvent): boolean {
  if (event.type !== 'result' && event.type !== 'system') return false
  if (event.has('request_id')) return true
  return /^(?:env|flag|login)$/.test(event.text('apiKeySource') ?? '') && !event.has('tools')
}
