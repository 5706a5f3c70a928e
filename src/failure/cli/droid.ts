import { family } from '../catalogue/rule.ts'
import type { AgentEvent } from './event.ts'
import { answered as ended } from './meaning.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { lines, printed } from './shapes.ts'

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

export const rules: ProfileRules = () =>
  family('droid', {
    autonomy: {
      kind: 'config',
      rank: 'cause',
      why: 'the run needs a higher level of autonomy than it was given',
      when: { says: ['exec ended early', 'requires higher autonomy'] },
      example: printed('Exec ended early: MCP tool linear requires higher autonomy (--auto high).'),
    },
    window: {
      kind: 'usage_limit',
      rank: 'cause',
      why: 'a window of the plan is used up',
      when: { says: ['standard usage limit', 'credit limits are exhausted'] },
      example: printed('Your standard credit limits are exhausted. Upgrade to continue.'),
    },
  })

export const sample = (): ProfileSample => ({
  success: {
    exitCode: 0,
    stdout: lines({
      type: 'completion',
      finalText: 'The 429 is handled now.',
      numTurns: 2,
      session_id: 'd-1',
    }).stdout,
  },
  failure: {
    ...lines({ type: 'error', source: 'agent_loop', message: '429 Too Many Requests', session_id: 'd-1' }),
    class: 'throttle',
    kind: 'rate_limit',
    sessionId: 'd-1',
  },
})
