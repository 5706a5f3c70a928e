import { emitWarning } from '../time/warning.ts'
import type { PolicyProblem } from '../verdict/policy.ts'

let hasWarnedOfCost = false

/** Warns once that a cost limit cannot hold, because nobody knows what a try cost. */
export function warnOfUnknownCost(): void {
  if (hasWarnedOfCost) return
  hasWarnedOfCost = true
  emitWarning(
    'maxCostUsd is set, but the cost of a try is unknown: give prices, or report it with charge',
    'MULLIGAN_COST',
  )
}

/** Warns of a policy or classifier that gave no usable answer. The next level decided instead. */
export function warnOfPolicy({ policy, member, problem }: PolicyProblem): void {
  const what =
    member === 'classifier'
      ? `classifier ${JSON.stringify(policy)}`
      : `policy ${JSON.stringify(policy)}: ${member}`
  emitWarning(`${what}: ${problem}`, 'MULLIGAN_POLICY')
}
