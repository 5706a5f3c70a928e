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

/** Why a login did not work. `rate_limit` is a working login that has used up its allowance. */
export type AuthReason =
  | 'not_authenticated'
  | 'expired'
  | 'invalid_credentials'
  | 'rate_limit'
  | 'provider_error'
  | 'other'

const REASONS: readonly (readonly [AuthReason, RegExp])[] = [
  // A cloud's or proxy's login in front of the model is fixed elsewhere, not in the CLI.
  [
    'provider_error',
    /\b(?:bedrock|vertex|aws|google cloud|gcloud|azure|407|proxy)\b|GOOGLE_APPLICATION_CREDENTIALS/i,
  ],
  ['expired', /\bexpired?\b|\brevoked\b|could not be refreshed|refresh token/i],
  [
    'invalid_credentials',
    /invalid (?:api key|auth|bearer|token|x-api-key|credential)|incorrect api key|unauthorized|forbidden|\b40[13]\b|permission_error/i,
  ],
  [
    'not_authenticated',
    /not (?:logged in|signed in|authenticated)|\bunauthenticated\b|(?:authentication|login|log[- ]?in|sign[- ]?in) (?:is )?required|\brun [`'"]?(?:[\w-]+ ){1,3}(?:login|log-in|auth)\b|please run \S*\/?login|no credentials|no auth|auth(?:entication)? method|missing environment variable|is not set|you must specify|login.required/i,
  ],
]

/** A model that may not be used or does not exist: no login changes that. */
const ABOUT_A_MODEL =
  /access to (?:the |this )?model\b|\bmodel\b.{0,80}(?:does not exist|not found|may not exist)/i
/** Words about a login in a failure that no rule recognised. */
const ABOUT_A_LOGIN = /\bauth(?:entication|orization)?\b.{0,80}\b(?:error|failed|failure)\b/i

/** Why the login was refused; undefined for other failures. */
export function authReasonOf(failure: Failure): AuthReason | undefined {
  if (failure.class === 'throttle') return 'rate_limit'
  const text = `${failure.message}\n${failure.evidence.excerpt}\n${failure.text ?? ''}`
  if (failure.class === 'unknown' && ABOUT_A_LOGIN.test(text)) return 'other'
  if (failure.kind !== 'auth' && failure.kind !== 'forbidden') return undefined
  if (ABOUT_A_MODEL.test(text)) return undefined
  return REASONS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other'
}
