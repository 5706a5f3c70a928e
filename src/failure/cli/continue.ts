import type { AgentProfile } from './profile.ts'

/** Continue's command, `cn`. */
export const continueCli: AgentProfile = {
  name: 'continue',
  names: ['continue', 'continue-cli', 'cn'],
  failsOnStderr: true,
}
