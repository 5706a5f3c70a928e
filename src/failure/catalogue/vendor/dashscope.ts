import { family } from '../rule.ts'
import { answer } from './example.ts'

const native = (status: number, code: string, message = 'See the documentation.') =>
  answer(status, { request_id: 'x', code, message })

/** Alibaba's DashScope and Model Studio: dotted codes, or their snake_case form on the OpenAI route. */
export default family('dashscope', {
  standing: {
    kind: 'billing',
    rank: 'cause',
    why: 'its polite message for unpaid bills begins with "access denied"',
    when: { says: ['account is in good standing'] },
    example: 'Access denied, please make sure your account is in good standing.',
  },
  free_only: {
    kind: 'billing',
    rank: 'cause',
    why: 'the free quota is used up and the account is set to use nothing else',
    when: { says: ['free tier only'] },
    example: native(403, 'AllocationQuota.FreeTierOnly', 'The free quota has been exhausted.'),
  },
  inspection: {
    kind: 'content_policy',
    rank: 'cause',
    why: 'its word for a content filter',
    when: { says: ['data inspection failed'] },
    example: native(400, 'DataInspectionFailed'),
  },
  minute: {
    kind: 'rate_limit',
    why: 'codes with "quota" in their name that mean tokens per minute',
    when: [
      {
        code: [
          'Throttling.AllocationQuota',
          'Throttling.RateQuota',
          'Throttling.BurstRate',
          'Throttling',
          'limit_burst_rate',
        ],
      },
      { code: ['insufficient_quota'], vendor: ['dashscope'] },
    ],
    example: { message: 'it failed', code: 'limit_burst_rate' },
  },
})
