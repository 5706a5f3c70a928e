import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { answered, printed } from './shapes.ts'

/** Crush. Prints its errors under a heading. */
export const crush: AgentProfile = {
  name: 'crush',
  names: ['crush'],
  text: {
    words: ['agent processing failed', 'agent run failed'],
    signs: /\bagent (?:processing|run) failed: /,
    finalError: /^ERROR\s*$/,
  },
  failsOnStderr: true,
  usageExitCode: 2,
  notices: { lastWords: /^ERROR\s*$/ },
}

/** No rules of its own: the general rules recognise its failures. */
export const rules: ProfileRules = () => []

export const sample = (): ProfileSample => ({
  success: answered('The 429 is handled now.', 0),
  failure: {
    ...printed('  ERROR\n\n  agent processing failed: 429 Too Many Requests'),
    class: 'throttle',
    kind: 'rate_limit',
  },
})
