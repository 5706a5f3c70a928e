import type { Config } from '../config/schema/config.ts'
import type { SurfaceConfig } from '../config/schema/surface.ts'

/** After how many failures in a row the system behind the preset `workBuddy` reported a schedule. */
const WORK_BUDDY_FAILING_AFTER = 3

/** Who is told of what, where the preset decides. */
export interface TellingRule {
  /** The surfaces, with all defaults filled in. */
  surfaces: readonly SurfaceConfig[]
  /** How many operations of a schedule must die in a row before people hear of it. Default 1. */
  scheduleFailsAfter?: number
}

/** Who is told of what. The preset `workBuddy` keeps submitted work quiet, as the system did that it reproduces. */
export function tellingRuleOf({ surfaces, policy }: Pick<Config, 'surfaces' | 'policy'>): TellingRule {
  const isQuiet = policy.preset === 'workBuddy'
  return {
    surfaces: surfaces.map(surface => ({ ...surface, background: surface.background ?? !isQuiet })),
    ...(isQuiet ? { scheduleFailsAfter: WORK_BUDDY_FAILING_AFTER } : {}),
  }
}
