import { family } from '../rule.ts'
import { answer, refused } from './example.ts'

/** Portkey. */
export default family('portkey', {
  budget: {
    kind: 'max_budget',
    effect: 'none',
    rank: 'cause',
    why: 'its 412: the budget of a virtual key is used up',
    when: { status: [412], vendor: ['portkey'] },
    example: answer(412, { status: 'failure', message: 'See the documentation.' }),
    exampleProvider: 'portkey',
  },
  guardrail: {
    kind: 'content_policy',
    rank: 'cause',
    why: 'its 446: a guardrail refused',
    when: [{ status: [446] }, { code: ['hooks_failed'] }, { says: ['guardrail checks … failed'] }],
    example: refused(446, {
      type: 'hooks_failed',
      message: 'The guardrail checks defined in the config failed.',
    }),
  },
})
