import { family } from '../rule.ts'
import { printed } from './shapes.ts'

/** Factory's droid. */
export default family('droid', {
  autonomy: {
    kind: 'config',
    rank: 'cause',
    why: 'the run needed more than its level of autonomy allows; a higher one has to be given',
    when: { says: ['exec ended early', 'requires higher autonomy'] },
    example: printed('Exec ended early: MCP tool linear requires higher autonomy (--auto high).'),
  },
  window: {
    kind: 'usage_limit',
    rank: 'cause',
    why: 'a window of the plan is used up',
    when: { says: ['standard usage limit', 'credit limits are exhausted'] },
    example: printed('Your standard credit limits are exhausted. Upgrade to continue.'),
  },
})
