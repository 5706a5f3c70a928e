import type { Failure } from './failure.ts'

/** A Failure in JSON: snake_case names, times as RFC 3339 UTC, durations in `…_ms`. */
export interface FailureJson {
  class: string
  kind: string
  effect: string
  message: string
  evidence: { rule: string; where: string; excerpt: string; lost: { rule: string; excerpt: string }[] }
  fingerprint: string
  [field: string]: unknown
}

/** The JSON name of each field, used in both directions. */
const NAMES = {
  class: 'class',
  kind: 'kind',
  effect: 'effect',
  provider: 'provider',
  model: 'model',
  message: 'message',
  status: 'status',
  code: 'code',
  outcome: 'outcome',
  origin: 'origin',
  scope: 'scope',
  exitCode: 'exit_code',
  signal: 'signal',
  retryAfterMs: 'retry_after_ms',
  resetAt: 'reset_at',
  sessionId: 'session_id',
  costUsd: 'cost_usd',
  turns: 'turns',
  did: 'did',
  evidence: 'evidence',
  fingerprint: 'fingerprint',
  text: 'text',
} as const satisfies Record<keyof Required<Failure>, string>

/** Converts a failure to JSON: snake_case names, times as RFC 3339 UTC, durations in `…_ms`. */
export function failureToJson(failure: Failure): FailureJson {
  const json: Record<string, unknown> = {}
  for (const [field, name] of Object.entries(NAMES)) {
    const value = failure[field as keyof Failure]
    if (value !== undefined)
      json[name] = field === 'resetAt' ? new Date(value as number).toISOString() : value
  }
  return json as FailureJson
}

/** The reverse of {@link failureToJson}. The caller must check that the fields are present. */
export function failureFromJson(json: FailureJson): Failure {
  const failure: Record<string, unknown> = {}
  for (const [field, name] of Object.entries(NAMES)) {
    const value = json[name]
    if (value !== undefined) failure[field] = field === 'resetAt' ? Date.parse(String(value)) : value
  }
  return failure as unknown as Failure
}
