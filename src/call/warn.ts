import type { PolicyProblem } from '../verdict/index.ts'

/** Tells the operator of a policy or a classifier that cannot be used; the next level has decided meanwhile. */
export function warnOfPolicy({ policy, member, problem }: PolicyProblem): void {
  const what =
    member === 'classifier'
      ? `classifier ${JSON.stringify(policy)}`
      : `policy ${JSON.stringify(policy)}: ${member}`
  process.emitWarning(`${what}: ${problem}`, { code: 'MULLIGAN_POLICY' })
}
