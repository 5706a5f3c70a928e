import { family } from '../rule.ts'
import { lines, printed } from './shapes.ts'

const ended = (finishReason: string) =>
  lines({ ts: 't', type: 'run_result', finishReason, text: 'as far as I got', iterations: 6 })

/** Cline and Roo: why a run finished, and the limits of Cline's own plans. */
export default family('cline', {
  iterations: {
    kind: 'max_steps',
    rank: 'cause',
    why: 'the ceiling of iterations is reached',
    when: { code: ['finish_reason=max_iterations'] },
    example: ended('max_iterations'),
  },
  mistakes: {
    kind: 'max_steps',
    rank: 'cause',
    why: 'the allowed number of mistakes in a row is used up',
    when: { code: ['finish_reason=mistake_limit'] },
    example: ended('mistake_limit'),
  },
  cancelled: {
    kind: 'aborted',
    rank: 'cause',
    why: 'the run was aborted, although it exits with 0',
    when: { code: ['finish_reason=aborted'] },
    example: ended('aborted'),
  },
  pass: {
    kind: 'usage_limit',
    rank: 'cause',
    why: 'a window of its subscription is used up',
    when: { says: ['cline pass limit reached', 'clinepass limit reached'] },
    example: printed('error: ClinePass limit reached for this window'),
  },
  no_subscription: {
    kind: 'billing',
    rank: 'cause',
    why: 'the models belong to a subscription that nobody has bought',
    when: { says: ['no access to (cline pass|clinepass) subscription'] },
    example: printed('error: No access to ClinePass subscription models yet. Subscribe to continue.'),
  },
})
