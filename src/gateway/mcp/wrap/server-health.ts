import type { Failure } from '../../../failure/failure.ts'
import type { BreakerSettings } from '../../../provider/breaker.ts'
import type { HealthMark, PolicyLike } from '../../../verdict/policy.ts'

/** The `code` of a failure that the tool itself reported. Protocol errors have their number there. */
export const TOOL_ERROR = 'tool_error'

/** A local server is back in seconds, and nobody pays for asking: it is left alone for a shorter time than a vendor. */
export const SERVER_BREAKER: BreakerSettings = { cooldownMs: 5_000, maxCooldownMs: 60_000 }

/**
 * What a failure means for the server. One that answers is there, whatever its tool could not do; and a program that dies
 * of one call is simply started again. What is left counts as for any provider: it cannot be started or reached, stays
 * silent, throttles, or wants a login.
 */
export const SERVER_HEALTH: PolicyLike = {
  name: 'mcp',
  health: failure => (isOfOneCall(failure) ? UNHARMED : undefined),
}

const UNHARMED: HealthMark = { breaker: 'none' }

function isOfOneCall({ class: cls, code, effect, status }: Failure): boolean {
  if (cls === 'throttle' || cls === 'permanent') return false
  if (code === TOOL_ERROR || /^-\d+$/.test(code ?? '')) return true
  return cls === 'transient' && effect === 'maybe' && status === undefined
}
