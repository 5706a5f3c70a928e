import { emitWarning } from '../time/warning.ts'
import type { PolicyProblem } from '../verdict/policy.ts'

/** Tells the operator of a policy or a classifier that cannot be used; the next level has decided meanwhile. */
export function warnOfPolicy({ policy, member, problem }: PolicyProblem): void {
  const what =
    member === 'classifier'
      ? `classifier ${JSON.stringify(policy)}`
      : `policy ${JSON.stringify(policy)}: ${member}`
  emitWarning(`${what}: ${problem}`, 'MULLIGAN_POLICY')
}
