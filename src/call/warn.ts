import { emitWarning } from '../time/warning.ts'
import type { PolicyProblem } from '../verdict/policy.ts'

/** Warns of a policy or classifier that gave no usable answer. The next level decided instead. */
export function warnOfPolicy({ policy, member, problem }: PolicyProblem): void {
  const what =
    member === 'classifier'
      ? `classifier ${JSON.stringify(policy)}`
      : `policy ${JSON.stringify(policy)}: ${member}`
  emitWarning(`${what}: ${problem}`, 'MULLIGAN_POLICY')
}
