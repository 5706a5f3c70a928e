import type { AgentEvent } from './event.ts'
import { answered as ended } from './meaning.ts'
import type { AgentProfile } from './profile.ts'

/** Factory's droid. Prints a stream like Claude Code's, except for the last line. */
export const droid: AgentProfile = {
  name: 'droid',
  names: ['droid', 'factory', 'factory-droid'],
  isOwnEvent,
  endsWithEvent: true,
  outcome: { completion: event => ended(event.get('finalText')) },
  spending: { completion: event => ({ total: { turns: event.amount('numTurns') } }) },
  sessionField: 'session_id',
  usageExitCode: 2,
}

function isOwnEvent(event: AgentEvent): boolean {
  if (event.type === 'completion') return event.has('finalText')
  return (event.type === 'result' || event.type === 'system') && event.get('subtype') === 'failure'
}
