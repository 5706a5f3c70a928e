import type { JSONObject, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { Attempt } from '../../call/attempt/attempt.ts'
import type { CallResult } from '../../call/call-result.ts'
import { present } from '../../failure/present.ts'

/** What a call adds to the metadata of an answer, under `mulligan`: who answered, what it cost, and every try. */
export function withAttempts(
  given: SharedV4ProviderMetadata | undefined,
  { provider, attempts, costUsd, finish }: Omit<CallResult<unknown>, 'value'>,
): SharedV4ProviderMetadata {
  const mulligan: JSONObject = {
    provider: provider ?? null,
    costUsd,
    attempts: attempts.map(attemptToJson),
    ...(finish ? { finish: finish.as } : {}),
  }
  return { ...given, mulligan }
}

function attemptToJson({
  provider,
  model,
  durationMs,
  costUsd,
  tokens,
  usage,
  failure,
  verdict,
}: Attempt): JSONObject {
  return {
    provider: provider ?? null,
    durationMs: Math.round(durationMs),
    costUsd,
    tokens,
    ...present({ model }),
    ...(usage ? { cachedTokens: usage.cachedTokens } : {}),
    ...(failure ? { failure: `${failure.class}/${failure.kind}`, message: failure.message } : {}),
    ...(verdict ? { verdict: verdict.action } : {}),
  }
}
