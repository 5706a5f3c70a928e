import { describe, expect, it } from 'vitest'
import { thrown } from '../../../test/failure/catalogue/examples.ts'
import { classify } from '../classify.ts'

type Row = [what: string, provider: string | undefined, input: unknown, verdict: string]

const verdictOf = (input: unknown, provider?: string) => {
  const failure = classify(input, { provider })
  return `${failure?.class}/${failure?.kind}, ${failure?.effect}`
}

describe('a wrapper of a client library', () => {
  const retried = (cause: Error) =>
    thrown('AI_RetryError', `Failed after 3 attempts. Last error: ${cause.message}`, {
      lastError: cause,
      errors: [cause],
    })
  const rows: Row[] = [
    [
      'gives way to the money inside',
      'openai',
      thrown('RateLimitError', '429 no', { status: 429, code: 'insufficient_quota' }),
      'throttle/billing, none',
    ],
    [
      'gives way to the body inside',
      'ai-sdk',
      retried(
        thrown('AI_APICallError', 'Too Many Requests', {
          statusCode: 429,
          responseBody: '{"error":{"type":"billing_error"}}',
        }),
      ),
      'throttle/billing, none',
    ],
    [
      'gives way to the connection inside',
      'openai',
      thrown('APIConnectionError', 'Connection error.', {
        cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED', syscall: 'connect' }),
      }),
      'transient/network, none',
    ],
    [
      'gives way to the cut answer inside',
      'ai-sdk',
      thrown('AI_NoObjectGeneratedError', 'No object generated', { finishReason: 'length' }),
      'rail/max_tokens, maybe',
    ],
    [
      'is all there is',
      'openai',
      thrown('PermissionDeniedError', '403 status code (no body)', { status: 403 }),
      'permanent/forbidden, none',
    ],
  ]
  it.each(rows)('%s', (_what, provider, input, verdict) => expect(verdictOf(input, provider)).toBe(verdict))
})
