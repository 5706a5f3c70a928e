import { family } from '../catalogue/rule.ts'
import { type AgentEvent, NO_TYPE } from './event.ts'
import { type EventMeaning, failed, SUCCEEDED } from './meaning.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { lines } from './shapes.ts'

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

const trajectory = (exit_status: string) => ({
  ...lines({ trajectory: [], info: { exit_status } }),
  exitCode: 0,
})

/** Values of its exit status. */
export const rules: ProfileRules = () =>
  family('swe_agent', {
    too_long: {
      kind: 'context_overflow',
      rank: 'cause',
      why: 'the conversation does not fit the model',
      when: { code: ['exit_context'] },
      example: trajectory('exit_context'),
    },
    timeout: {
      kind: 'timeout',
      why: 'the deadline of a command or of the whole run passed',
      when: { code: ['exit_command_timeout', 'exit_total_execution_time'] },
      example: { message: 'it failed', code: 'exit_total_execution_time' },
    },
    tries_used_up: {
      kind: 'server_error',
      rank: 'hint',
      why: 'its model retries are used up; only the log says what failed',
      when: { code: ['exit_api'] },
      example: trajectory('exit_api'),
    },
    environment: {
      kind: 'server_error',
      rank: 'hint',
      why: 'the container in which it works failed',
      when: { code: ['exit_environment_error'] },
      example: trajectory('exit_environment_error'),
    },
  })

export const sample = (): ProfileSample => ({
  success: trajectory('submitted'),
  failure: { ...trajectory('exit_cost'), class: 'rail', kind: 'max_budget' },
})
