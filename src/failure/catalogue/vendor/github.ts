import { family, type Rule } from '../rule.ts'
import { refused } from './example.ts'

/** GitHub Models and the Copilot API. */
export default [
  ...family('github', {
    day: {
      kind: 'quota',
      rank: 'cause',
      why: 'the daily window; only its name tells it from the per-minute one',
      when: [{ says: ['(user|model) by day'] }, { code: ['x-ratelimit-type=userbymodelbyday'] }],
      example: refused(429, {
        code: 'RateLimitReached',
        message: 'Rate limit of 50 per 86400s exceeded for UserByModelByDay.',
      }),
    },
    too_long: {
      kind: 'context_overflow',
      rank: 'cause',
      why: 'this one request exceeds the size that the free tier accepts',
      when: { says: ['tokens limit reached'] },
      example: 'tokens limit reached',
    },
  }),
  ...family('copilot', {
    paid_up: {
      kind: 'billing',
      rank: 'cause',
      why: 'a 402 whose code mentions quota: more costs money',
      when: { code: ['quota_exceeded', 'free_quota_exceeded', 'overage_limit_reached'], status: [402] },
      example: refused(402, { code: 'quota_exceeded' }),
    },
    plan_window: {
      kind: 'usage_limit',
      rank: 'named',
      why: 'plan limits per model, per week or for agents; they take hours to reset',
      when: [
        {
          says: [
            'user (model|global|weekly) rate limited',
            'agent mode limit exceeded',
            '(exceeded|reached|over|hit) … copilot token usage',
            'copilot token usage … (exceeded|limit|reached)',
          ],
        },
        { code: ['rate_limited'], vendor: ['copilot'] },
      ],
      example: refused(429, { code: 'user_model_rate_limited:example' }),
    },
    upstream: {
      kind: 'overloaded',
      effect: 'none',
      rank: 'cause',
      why: 'a limit of the program or of the vendor behind it, shared by all users',
      when: { says: ['integration rate limited', 'upstream provider rate limit'] },
      example: refused(429, { code: 'integration_rate_limited' }),
    },
    off_topic: {
      kind: 'content_policy',
      rank: 'cause',
      why: 'a filter for requests unrelated to programming',
      when: { code: ['off_topic'] },
      example: refused(400, { code: 'off_topic' }),
    },
    filtered: {
      kind: 'content_policy',
      rank: 'hint',
      why: 'its 422 is a content filter',
      when: { status: [422], vendor: ['copilot'] },
      example: refused(422, {}),
      exampleProvider: 'copilot',
    },
    outdated: {
      kind: 'version_mismatch',
      rank: 'named',
      why: 'its 466: the client is too old',
      when: { status: [466] },
      example: refused(466, {}),
    },
    dropped: {
      kind: 'server_error',
      rank: 'said',
      why: 'its 424 and 499 come from the server side',
      when: { status: [424, 499], vendor: ['copilot'] },
      example: refused(499, {}),
      exampleProvider: 'copilot',
    },
  }),
] satisfies Rule[]
