import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { answered, printed } from './shapes.ts'

/** Continue's command, `cn`. */
export const continueCli: AgentProfile = {
  name: 'continue',
  names: ['continue', 'continue-cli', 'cn'],
  failsOnStderr: true,
}

/** The general language of failures says it all. */
export const rules: ProfileRules = () => []

/** One good and one bad run. */
export const sample = (): ProfileSample => ({
  success: answered('The 429 is handled now.', 0),
  failure: { ...printed('Error: 429 Too Many Requests'), class: 'throttle', kind: 'rate_limit' },
})
