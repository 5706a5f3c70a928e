import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { answered, printed } from './shapes.ts'

/** Continue's command, `cn`. */
export const continueCli: AgentProfile = {
  name: 'continue',
  names: ['continue', 'continue-cli', 'cn'],
  failsOnStderr: true,
}

/** No rules of its own: the general rules recognise its failures. */
export const rules: ProfileRules = () => []

export const sample = (): ProfileSample => ({
  success: answered('The 429 is handled now.', 0),
  failure: { ...printed('Error: 429 Too Many Requests'), class: 'throttle', kind: 'rate_limit' },
})
