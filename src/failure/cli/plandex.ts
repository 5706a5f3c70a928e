import { family } from '../catalogue/rule.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { answered } from './shapes.ts'

/** Plandex. */
export const plandex: AgentProfile = {
  name: 'plandex',
  names: ['plandex'],
  failsOnStderr: true,
  notices: { lastWords: /^🚨 / },
}

const refused = (kind: string) => ({ kind, message: 'stopped' })

/** Names of its server's errors. */
export const rules: ProfileRules = () =>
  family('plandex', {
    plan: {
      kind: 'usage_limit',
      rank: 'cause',
      why: 'the quota of a subscription is used up',
      when: { code: ['ErrSubscriptionQuotaExhausted'] },
      example: refused('ErrSubscriptionQuotaExhausted'),
    },
  })

export const sample = (): ProfileSample => ({
  success: answered('The 429 is handled now.', 0),
  failure: { ...answered('🚨 429 Too Many Requests', 0), class: 'throttle', kind: 'rate_limit' },
})
