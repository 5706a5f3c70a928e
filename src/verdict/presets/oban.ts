import type { Failure } from '../../failure/failure.ts'
import { backoffMs } from '../backoff.ts'
import type { Circumstances } from '../circumstances.ts'
import { defaultPolicy } from '../default-policy.ts'
import type { Policy } from '../policy.ts'
import { retryMode } from '../second-try.ts'
import type { CancelReason, Verdict } from '../verdict.ts'

/** Outcomes that fail the same way again. */
const CONFIG_FAULTS = new Set([
  'auth',
  'binary_not_found',
  'version_mismatch',
  'invalid_version',
  'dangerous_not_allowed',
  'invalid_tool_pattern',
  'not_a_git_repo',
  'git_unavailable',
  // The job's arguments are wrong.
  'config',
])
/** What it retries only as the outcome of a run: any other error of its kind has no type. */
const TYPED_ONLY = new Set<Failure['kind']>(['bad_json', 'io', 'command_failed'])
/** Limits that were set on purpose. */
const RAIL_STOPS = new Set(['budget_exceeded', 'max_budget_exceeded', 'max_turns_exceeded'])

/**
 * The table of a job queue for agent runs: repeats what could succeed while attempts are left, cancels what fails the same
 * way again, never snoozes. Agent runs put their typed outcome in `failure.outcome`. An unknown failure or one of reading
 * (bad JSON, input and output) is repeated if it has an outcome, otherwise cancelled.
 */
export const oban: Policy = {
  name: 'oban',
  verdict: (failure, circumstances) => verdictOf(failure, circumstances, 'oban'),
  health: defaultPolicy.health,
}

const TIMEOUT_SNOOZE_MS = 30_000

/** Its first published form, which snoozes 30 s on every timeout, even if the timeout recurs forever. */
export const obanSnooze: Policy = {
  name: 'obanSnooze',
  verdict(failure, circumstances) {
    if (failure.class !== 'timeout' || failure.origin === 'gate')
      return verdictOf(failure, circumstances, 'obanSnooze')
    const until = circumstances.now + TIMEOUT_SNOOZE_MS
    return {
      action: 'snooze',
      until,
      mode: retryMode(failure, circumstances),
      reason: `${failure.kind}: trying again in 30 s`,
      rule: 'obanSnooze:timeout',
    }
  },
  health: defaultPolicy.health,
}

function verdictOf(failure: Failure, circumstances: Circumstances, name: string): Verdict {
  const { outcome, kind, class: cls } = failure
  const cancel = (as: CancelReason, row: string, why: string): Verdict => ({
    action: 'cancel',
    as,
    reason: `${kind}: ${why}`,
    rule: `${name}:${row}`,
  })
  if (failure.origin === 'gate' && cls !== 'permanent') return untilItAdmits(failure, circumstances, name)
  if (cls === 'aborted') return cancel('cancelled', 'aborted', 'it was cancelled')
  if (cls === 'rail' || RAIL_STOPS.has(outcome ?? ''))
    return cancel('stopped', 'rail_stop', 'stopped by a limit set on purpose; resume it to continue')
  const isConfigFault =
    cls === 'permanent' && (outcome === undefined || CONFIG_FAULTS.has(outcome) || CONFIG_FAULTS.has(kind))
  if (isConfigFault) return cancel('refused', 'config_fault', 'it fails the same way until something changes')
  if (outcome === undefined && (cls === 'unknown' || TYPED_ONLY.has(kind)))
    return cancel('refused', 'untyped', 'an outcome without a type is never retried')
  return retried(failure, circumstances, name)
}

/**
 * The provider was not called, because it is known not to serve: no try was made, so there is nothing to repeat. A job waits for
 * the end of the block; a caller is told at once when that is.
 */
function untilItAdmits(failure: Failure, circumstances: Circumstances, name: string): Verdict {
  const { now, availableAt = failure.resetAt, durable, snoozes, maxSnoozes } = circumstances
  const rule = `${name}:blocked`
  if (availableAt === undefined) {
    const decided = defaultPolicy.verdict(failure, { ...circumstances, durable: true })
    if (durable || decided.action === 'park') return decided
    return {
      action: 'cancel',
      as: 'refused',
      reason: `${failure.kind}: not tried, and no time ends that`,
      rule,
    }
  }
  if (durable && snoozes >= maxSnoozes)
    return { action: 'cancel', as: 'exhausted', reason: `${failure.kind}: snooze limit reached`, rule }
  return {
    action: 'snooze',
    until: Math.max(availableAt, now + 1),
    mode: retryMode(failure, circumstances),
    reason: `${failure.kind}: not tried; the provider serves again then`,
    rule,
  }
}

function retried(failure: Failure, circumstances: Circumstances, name: string): Verdict {
  const { retries, foreground = 0, maxRetries, backoff, random } = circumstances
  const rule = `${name}:retry`
  // A job has one count of attempts, wherever they were made.
  if (retries + foreground >= maxRetries)
    return { action: 'cancel', as: 'exhausted', reason: `${failure.kind}: retry limit reached`, rule }
  return {
    action: 'retry',
    delayMs: backoffMs(backoff, retries, random),
    // A run that may have done something continues its session; starting over would be refused.
    mode: retryMode(failure, circumstances),
    reason: `${failure.kind}: may be temporary, and attempts are left`,
    rule,
  }
}
