import type { AgentEvent } from './event.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { answered, result } from './shapes.ts'

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

/** No rules of its own: the general rules recognise its failures. */
export const rules: ProfileRules = () => []

export const sample = (): ProfileSample => ({
  success: answered('The 429 is handled now.', 0),
  failure: {
    ...result({ subtype: 'error_during_execution', session_id: 'T-1', error: '429 Too Many Requests' }),
    class: 'throttle',
    kind: 'rate_limit',
    sessionId: 'T-1',
    turns: 1,
  },
})
