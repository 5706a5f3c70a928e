import type { Failure } from '../failure/failure.ts'

/** Kinds that have the same name in the `oban` policy. */
const SAME = new Set([
  'binary_not_found',
  'version_mismatch',
  'invalid_version',
  'dangerous_not_allowed',
  'invalid_tool_pattern',
  'not_a_git_repo',
  'git_unavailable',
  'command_failed',
  'io',
])

/**
 * The outcome in the vocabulary of the `oban` policy, for `failure.outcome`.
 * @param details whose limit stopped it, and whether the failure came as a result of the CLI
 */
export function typedKindOf(
  failure: Failure,
  details: { isOurRail: boolean; hasResult: boolean },
): string | undefined {
  const { class: cls, kind, code } = failure
  if (code === 'git_failed') return code
  if (SAME.has(kind)) return kind
  if (cls === 'aborted') return undefined
  if (kind === 'max_turns') return 'max_turns_exceeded'
  if (kind === 'max_budget') return details.isOurRail ? 'budget_exceeded' : 'max_budget_exceeded'
  if (cls === 'timeout') return 'timeout'
  if (cls === 'throttle') return 'rate_limit'
  if (kind === 'auth' || kind === 'forbidden') return 'auth'
  if (kind === 'bad_json') return 'json'
  return details.hasResult ? 'result_error' : 'command_failed'
}
