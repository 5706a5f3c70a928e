import type { Rule } from './catalogue/rule.ts'
import type { Effect } from './failure.ts'
import type { Observation } from './observe/observation.ts'

/**
 * Whether the failed call may already have done something. The phase decides, not the class: what the fields
 * prove about the connection first, then whether an agent had begun to work, then what the rule knows.
 */
export function effectOf(observation: Observation, rule: Pick<Rule, 'effect' | 'class'>): Effect {
  const { process, phase, turns } = observation
  if (process?.worked || (turns !== undefined && turns > 1)) return 'maybe'
  if (phase === 'none') return 'none'
  if (phase === 'maybe' && rule.class !== 'permanent' && rule.class !== 'throttle') return 'maybe'
  return rule.effect
}
