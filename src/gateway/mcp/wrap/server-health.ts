import type { Failure } from '../../../failure/failure.ts'
import type { BreakerSettings } from '../../../provider/breaker.ts'
import { statedReset } from '../../../verdict/course.ts'
import type { HealthMark, PolicyLike } from '../../../verdict/policy.ts'

/** The `code` of a failure that the tool itself reported. Protocol errors have their number there. */
export const TOOL_ERROR = 'tool_error'

/** Codes of protocol errors that the official servers give to whatever the code of a tool threw. */
const THROWN_BY_TOOL: readonly string[] = ['-32603', '0']

/** Longest time that is believed if only prose states it, in milliseconds. */
const LONGEST_SAID_MS = 3_600_000

/** A local server is back in seconds, and nobody pays for asking: it is left alone for a shorter time than a vendor. */
export const SERVER_BREAKER: BreakerSettings = { cooldownMs: 5_000, maxCooldownMs: 60_000 }

/**
 * What a failure means for the server. What a tool says is often said by somebody behind it, such as a page that it
 * fetched: it pauses that tool for an hour at most, and nothing else. A server that answers is there, whatever its tool
 * could not do; and a program that dies of one call is simply started again. What is left counts as for any provider: it
 * cannot be started or reached, stays silent, or throttles or wants a login by its own protocol or transport.
 */
export const SERVER_POLICY: PolicyLike = {
  name: 'mcp',
  // Nothing would end this wait: no server is blocked that could become free.
  verdict: (failure, { durable }) =>
    durable && isSaidByTool(failure) && needsPerson(failure)
      ? {
          action: 'cancel',
          as: 'refused',
          reason: `${failure.kind}: the tool says so, and calling it again will not help`,
          rule: 'mcp:tool',
        }
      : undefined,
  health: (failure, { now }) => {
    if (isSaidByTool(failure)) return { breaker: 'none', ofTool: true, ...pauseFor(failure, now) }
    return isOfOneCall(failure) ? UNHARMED : undefined
  },
}

const UNHARMED: HealthMark = { breaker: 'none' }

/** Whether the words are those of a tool, not of its server. */
function isSaidByTool({ code }: Failure): boolean {
  return code === TOOL_ERROR || THROWN_BY_TOOL.includes(code ?? '')
}

function needsPerson({ class: cls, kind }: Failure): boolean {
  return kind === 'billing' || (cls === 'permanent' && (kind === 'auth' || kind === 'forbidden'))
}

function pauseFor(failure: Failure, now: number): { blockUntil?: number } {
  const until =
    failure.class === 'throttle' && failure.kind !== 'billing' ? statedReset(failure, now) : undefined
  return until === undefined ? {} : { blockUntil: Math.min(until, now + LONGEST_SAID_MS) }
}

/**
 * The failure without times that nobody can vouch for.
 * @param isTyped the server stated them in fields of its protocol
 */
export function believed(failure: Failure, now: number, isTyped: boolean): Failure {
  if (isTyped && !isSaidByTool(failure)) return failure
  const { retryAfterMs, resetAt } = failure
  return {
    ...failure,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs: Math.min(retryAfterMs, LONGEST_SAID_MS) }),
    ...(resetAt === undefined ? {} : { resetAt: Math.min(resetAt, now + LONGEST_SAID_MS) }),
  }
}

function isOfOneCall({ class: cls, code, effect, status }: Failure): boolean {
  if (cls === 'throttle' || cls === 'permanent') return false
  if (/^-?\d+$/.test(code ?? '')) return true
  return cls === 'transient' && effect === 'maybe' && status === undefined
}
