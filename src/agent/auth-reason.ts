import type { Failure } from '../failure/index.ts'

/** Why a login did not work; `rate_limit` is a login that works but has used up what it may. */
export type AuthReason =
  | 'not_authenticated'
  | 'expired'
  | 'invalid_credentials'
  | 'rate_limit'
  | 'provider_error'
  | 'other'

const REASONS: readonly (readonly [AuthReason, RegExp])[] = [
  // A login of a cloud in front of the model is mended elsewhere than the CLI's own.
  ['provider_error', /\b(?:bedrock|vertex|aws|google cloud|gcloud|azure)\b|GOOGLE_APPLICATION_CREDENTIALS/i],
  ['expired', /\bexpired?\b|\brevoked\b|could not be refreshed|refresh token/i],
  [
    'invalid_credentials',
    /invalid (?:api key|auth|bearer|token|x-api-key|credential)|incorrect api key|unauthorized|forbidden|\b40[13]\b|permission_error/i,
  ],
  [
    'not_authenticated',
    /not (?:logged|signed) in|please run \S*\/?login|no credentials|no auth|auth(?:entication)? method|missing environment variable|is not set|you must specify|login.required/i,
  ],
]

/** Why the login was refused; undefined for failures that are about something else. */
export function authReasonOf(failure: Failure): AuthReason | undefined {
  if (failure.class === 'throttle') return 'rate_limit'
  if (failure.kind !== 'auth' && failure.kind !== 'forbidden') return undefined
  const text = `${failure.message}\n${failure.evidence.excerpt}\n${failure.text ?? ''}`
  return REASONS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other'
}
