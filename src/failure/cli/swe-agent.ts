import { type AgentEvent, NO_TYPE } from './event.ts'
import { type EventMeaning, failed, SUCCEEDED } from './meaning.ts'
import type { AgentProfile } from './profile.ts'

/** SWE-agent. The outcome is a word in its trajectory, never the exit code. */
export const sweAgent: AgentProfile = {
  name: 'swe-agent',
  names: ['swe-agent', 'sweagent', 'mini-swe-agent', 'mini-sweagent'],
  isOwnEvent: event => event.type === NO_TYPE && event.has('trajectory') && event.has('info'),
  outcome: { [NO_TYPE]: exitStatus },
  usageExitCode: 2,
  notices: { lastWords: /\bexit_[a-z_]+\b|\bExit(?:ing)? due to / },
}

/** When stopped early, it submits what it has: "submitted (exit_cost)". */
function exitStatus(event: AgentEvent): EventMeaning | undefined {
  const status = event.inner('info')?.get('exit_status')
  if (typeof status !== 'string') return undefined
  const reason = /\bexit_\w+/.exec(status)?.[0] ?? status
  return reason === 'submitted' || reason === 'exit_forfeit' ? SUCCEEDED : failed({ exit_status: reason })
}
