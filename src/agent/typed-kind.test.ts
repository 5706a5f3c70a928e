import { describe, expect, it } from 'vitest'
import { classOfKind, type FailureClass, type FailureKind } from '../failure/failure.ts'
import { present } from '../failure/present.ts'
import type { Circumstances } from '../verdict/circumstances.ts'
import { decide } from '../verdict/decide.ts'
import { PRESETS } from '../verdict/presets/presets.ts'
import { ownFailure } from './own-failure.ts'
import { typedKindOf } from './typed-kind.ts'

const circumstances: Circumstances = {
  durable: true,
  now: 0,
  random: 0,
  retries: 0,
  maxRetries: 3,
  backoff: 'adaptive',
  snoozes: 0,
  maxSnoozes: 20,
  remainingMs: Infinity,
  minRetryBudgetMs: 0,
  repeatable: true,
  resumable: false,
  verifiable: false,
  otherProviderAvailable: false,
}

/** The kind of a typed outcome, and the verdict of the policy that knows these kinds. */
function judged(kind: FailureKind, details: Parameters<typeof typedKindOf>[1], cls: FailureClass) {
  const failure = ownFailure({ kind, class: cls, rule: 'test', message: 'it failed' })
  const outcome = typedKindOf(failure, details)
  const { action } = decide({ ...failure, ...present({ outcome }) }, circumstances, PRESETS.oban)
  return { outcome, action }
}

describe('the kind of a typed outcome', () => {
  it.each<
    [FailureKind, string | undefined, string, Partial<Parameters<typeof typedKindOf>[1]>, FailureClass?]
  >([
    ['auth', 'auth', 'cancel', {}],
    ['forbidden', 'auth', 'cancel', { hasResult: true }],
    ['rate_limit', 'rate_limit', 'retry', {}],
    ['billing', 'rate_limit', 'retry', { hasResult: true }],
    ['binary_not_found', 'binary_not_found', 'cancel', {}],
    ['version_mismatch', 'version_mismatch', 'cancel', {}],
    ['invalid_version', 'invalid_version', 'cancel', {}],
    ['dangerous_not_allowed', 'dangerous_not_allowed', 'cancel', {}],
    ['invalid_tool_pattern', 'invalid_tool_pattern', 'cancel', {}],
    ['not_a_git_repo', 'not_a_git_repo', 'cancel', {}],
    ['git_unavailable', 'git_unavailable', 'cancel', {}],
    ['max_turns', 'max_turns_exceeded', 'cancel', { hasResult: true }],
    ['max_budget', 'max_budget_exceeded', 'cancel', { hasResult: true }],
    ['max_budget', 'budget_exceeded', 'cancel', { isOurRail: true }],
    ['timeout', 'timeout', 'retry', {}],
    ['stall', 'timeout', 'retry', {}],
    ['bad_json', 'json', 'retry', {}],
    ['io', 'io', 'retry', {}],
    ['command_failed', 'command_failed', 'retry', {}],
    ['server_error', 'result_error', 'retry', { hasResult: true }],
    ['crash', 'command_failed', 'retry', {}],
    ['aborted', undefined, 'cancel', {}],
  ])('%s is %s, which leads to %s', (kind, code, action, details, cls) => {
    expect(
      judged(kind, { isOurRail: false, hasResult: false, ...details }, cls ?? classOfKind(kind)),
    ).toEqual({ outcome: code, action })
  })
})
