import type { PolicyProblem } from '../verdict/index.ts'

/** Tells the operator of a policy that cannot be used; the next level has decided meanwhile. */
export function warnOfPolicy({ policy, member, problem }: PolicyProblem): void {
  process.emitWarning(`policy ${JSON.stringify(policy)}: ${member}: ${problem}`, { code: 'MULLIGAN_POLICY' })
}
