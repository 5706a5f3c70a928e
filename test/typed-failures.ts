import type { AgentFailure } from '../src/agent/outcome.ts'
import { CallFailed } from '../src/call/call-failed.ts'
import { CouncilFailed } from '../src/call/council-result.ts'
import type { WorkContext } from '../src/capability/context.ts'
import type { Failure } from '../src/failure/failure.ts'
import { failureToJson } from '../src/failure/json.ts'
import { KnownFailure } from '../src/failure/own-error.ts'
import { failureOfKind } from '../src/testing/core/scripted-failure.ts'
import { defaultPolicy } from '../src/verdict/default-policy.ts'
import type { Policy } from '../src/verdict/policy.ts'
import { oban } from '../src/verdict/presets/oban.ts'
import type { RetryPolicy } from '../src/verdict/retry-policy.ts'
import type { Verdict } from '../src/verdict/verdict.ts'

// Not part of the public test kit: the failures that every engine must end alike.

const STOP: Verdict = { action: 'cancel', as: 'refused', reason: 'no more tries here', rule: 'test' }

/** Everything in which user code passes on a failure that is already known. `copy` comes from another copy of the package. */
export function carriersOf(copy: {
  CallFailed: typeof CallFailed
}): Record<string, (failure: Failure) => { throws: unknown } | { returns: unknown }> {
  const attempt = (failure: Failure) => ({
    number: 1,
    startedAt: 0,
    durationMs: 5,
    costUsd: null,
    tokens: null,
    failure,
  })
  const called = (failure: Failure, Class = copy.CallFailed) =>
    new Class(
      { failure, verdict: STOP, attempts: [attempt(failure)], costUsd: failure.costUsd ?? null },
      new KnownFailure(failure),
    )
  const outcome = (failure: Failure): AgentFailure => {
    const { costUsd = null, turns = null } = failure
    return { ok: false, failure, costUsd, turns, usage: null, durationMs: 5, provider: 'claude' }
  }
  return {
    'a CallFailed': failure => ({ throws: called(failure, CallFailed) }),
    'a CallFailed of another copy': failure => ({ throws: called(failure) }),
    'an error that a CallFailed caused': failure => ({
      throws: new Error('the review failed', { cause: new Error('step 2', { cause: called(failure) }) }),
    }),
    'the JSON of a CallFailed': failure => ({
      returns: JSON.parse(JSON.stringify(called(failure, CallFailed))),
    }),
    "an agent's outcome, thrown": failure => ({ throws: outcome(failure) }),
    "an agent's outcome, returned": failure => ({ returns: outcome(failure) }),
    'a failure, thrown': failure => ({ throws: failure }),
    'a failure, returned': failure => ({ returns: failure }),
    'the JSON of a failure': failure => ({ throws: JSON.parse(JSON.stringify(failureToJson(failure))) }),
    'a council that too few answered': failure => ({ throws: councilOf(failure) }),
  }
}

function councilOf(failure: Failure): CouncilFailed {
  const error = new CallFailed({ failure, verdict: STOP, attempts: [], costUsd: null }, undefined)
  const { message, costUsd = null } = failure
  const member = { member: 'one', failure, error, attempts: 1, remainingMs: 0, costUsd }
  const answers = { successes: [], failures: [member as never], aborted: [], summary: message, costUsd }
  return new CouncilFailed('too_few', 'fewer than two answered', answers)
}

/** How one failure must end in every engine. */
export interface Ending {
  policy: Policy
  retry: RetryPolicy
  atomic?: boolean
  resumable?: boolean
  /** The failure of one try. */
  failure(context: Pick<WorkContext, 'resume'>, now: number): Failure
  ends: Record<string, unknown>
  /** What differs if the failure was parsed from JSON, which cannot show that nothing was done. */
  parsedEnds?: Record<string, unknown>
}

const HOUR = 3_600_000
const CUT = failureOfKind({
  kind: 'stream_cut',
  effect: 'maybe',
  sessionId: 's-1',
  costUsd: 2.1,
  turns: 4,
  outcome: 'command_failed',
})

export const ENDINGS: Record<string, Ending> = {
  'a typed result that failed is retried under `oban`': {
    policy: atOnce(oban),
    retry: 'replay',
    failure: () =>
      failureOfKind({
        kind: 'server_error',
        outcome: 'result_error',
        costUsd: 1.25,
        turns: 3,
        effect: 'maybe',
      }),
    ends: {
      tries: 3,
      verdict: 'cancel exhausted',
      costUsd: 3.75,
      failure: 'transient/server_error maybe result_error 3 turns',
    },
  },
  'a typed failure that nobody recognised is retried under `oban`': {
    policy: atOnce(oban),
    retry: 'replay',
    failure: () => failureOfKind({ kind: 'command_failed', outcome: 'command_failed', costUsd: 0.5 }),
    ends: {
      tries: 3,
      verdict: 'cancel exhausted',
      costUsd: 1.5,
      failure: 'unknown/command_failed none command_failed',
    },
    parsedEnds: { failure: 'unknown/command_failed maybe command_failed' },
  },
  'a run that may have acted continues its session until a limit of the caller stops it': {
    policy: atOnce(defaultPolicy),
    retry: 'none',
    resumable: true,
    failure: ({ resume }) =>
      resume?.sessionId === 's-1'
        ? failureOfKind({ kind: 'max_turns', sessionId: 's-1', costUsd: 1.65, turns: 9, effect: 'maybe' })
        : CUT,
    ends: {
      tries: 2,
      verdict: 'cancel stopped',
      costUsd: 3.75,
      failure: 'rail/max_turns maybe session s-1 9 turns',
    },
  },
  'a limit is waited for, without a second try': {
    policy: atOnce(defaultPolicy),
    retry: 'none',
    atomic: true,
    failure: (_context, now) => failureOfKind({ kind: 'usage_limit', resetAt: now + HOUR, costUsd: 0.25 }),
    ends: { tries: 1, verdict: 'snooze', costUsd: 0.25, failure: 'throttle/usage_limit none' },
    parsedEnds: { verdict: 'cancel unverifiable', failure: 'throttle/usage_limit maybe' },
  },
}

/** A policy without its waits, so the tries of a job follow each other. */
function atOnce(policy: Policy): Policy {
  return {
    name: `${policy.name} at once`,
    verdict(failure, circumstances) {
      const verdict = policy.verdict(failure, circumstances)
      return 'action' in verdict && verdict.action === 'retry' ? { ...verdict, delayMs: 0 } : verdict
    },
    health: policy.health,
  }
}

/** What all engines must agree on. */
export function endingOf(facts: {
  tries: number
  costUsd?: number
  verdict?: Readonly<Record<string, unknown>>
  failure?: Failure
}): Record<string, unknown> {
  const { tries, costUsd = 0, verdict, failure } = facts
  const { class: cls, kind, effect, outcome, sessionId, turns } = failure ?? ({} as Partial<Failure>)
  return {
    tries,
    verdict: [verdict?.action, verdict?.as].filter(Boolean).join(' '),
    costUsd: Math.round(costUsd * 1e6) / 1e6,
    failure: [
      `${cls}/${kind}`,
      effect,
      outcome,
      sessionId && `session ${sessionId}`,
      turns && `${turns} turns`,
    ]
      .filter(Boolean)
      .join(' '),
  }
}
