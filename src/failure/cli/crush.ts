import type { AgentProfile } from './profile.ts'

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
