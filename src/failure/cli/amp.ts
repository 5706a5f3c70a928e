import type { AgentEvent } from './event.ts'
import type { AgentProfile } from './profile.ts'

/** Amp. Prints a stream like Claude Code's. */
export const amp: AgentProfile = {
  name: 'amp',
  names: ['amp', 'ampcode'],
  isOwnEvent,
  endsWithEvent: true,
  failsOnStderr: true,
  sessionField: 'session_id',
  notices: { lastComplaint: /^Error: / },
}

function isOwnEvent(event: AgentEvent): boolean {
  if (event.type !== 'result' && event.type !== 'system') return false
  if (event.text('session_id')?.startsWith('T-')) return true
  return event.get('is_error') === true && typeof event.get('error') === 'string'
}
