import type { AgentProfile } from './profile.ts'

/** Plandex. */
export const plandex: AgentProfile = {
  name: 'plandex',
  names: ['plandex'],
  failsOnStderr: true,
  notices: { lastWords: /^🚨 / },
}
