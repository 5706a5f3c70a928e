import { family } from '../rule.ts'
import { thrown } from './example.ts'

/** xAI. */
export default family('xai', {
  no_credits: {
    kind: 'billing',
    rank: 'cause',
    why: 'a team without credits is refused with a 403',
    when: { says: ['(doesnt|does not|dont|do not) have any (credits|credit|licenses)'] },
    example: thrown(
      'PermissionDeniedError',
      '403 "Your newly created team doesn\'t have any credits or licenses yet."',
      { status: 403 },
    ),
  },
})
