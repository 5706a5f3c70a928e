import { describe, expect, it } from 'vitest'
import { classify } from './classify.ts'

/** Output of real CLIs and APIs that were made to fail. */
const DAILY =
  'Number of request tokens has exceeded your daily rate limit (https://docs.anthropic.com/en/api/rate-limits). Please try again later or contact sales to discuss your options for a rate limit increase.'
const REGION =
  'Access to Anthropic models is not allowed from unsupported countries, regions, or territories. Please refer to https://www.anthropic.com/supported-countries'

const refused = (status: number, type: string, message: string) => ({
  status,
  headers: {},
  body: { type: 'error', error: { type, message } },
})
const claude = (fields: object) => ({
  exitCode: 1,
  signal: null,
  stderr: '',
  stdout: JSON.stringify({ type: 'result', subtype: 'success', is_error: true, session_id: 's', ...fields }),
})
const opencodeLog = (said: string) => ({
  exitCode: null,
  signal: 'SIGTERM',
  timedOut: true,
  stdout: '',
  stderr: `timestamp=2026-11-15T23:47:10Z level=ERROR run=1 message="stream error" providerID=lab agent=build mode=primary error.error="${said}"`,
})
const answered = (type: string, body: string) => ({ status: 200, headers: { 'content-type': type }, body })

describe('a real failure', () => {
  it.each<[string, unknown, string, string]>([
    [
      'a daily limit of tokens',
      refused(429, 'rate_limit_error', DAILY),
      'anthropic',
      'throttle/usage_limit/none',
    ],
    [
      'an unsupported region',
      refused(403, 'permission_error', REGION),
      'anthropic',
      'permanent/unsupported_region/none',
    ],
    [
      'an overload under 429, by the type that claude names',
      claude({
        api_error_status: 429,
        api_error_type: 'overloaded_error',
        result: 'API Error: Request rejected (429) · Overloaded',
      }),
      'claude',
      'transient/overloaded/none',
    ],
    [
      'a daily limit that claude passes on',
      claude({
        api_error_status: 429,
        api_error_type: 'rate_limit_error',
        result: `API Error: Request rejected (429) · ${DAILY}`,
      }),
      'claude',
      'throttle/usage_limit/none',
    ],
    [
      'a region that claude takes for a login',
      claude({
        api_error_status: 403,
        api_error_type: 'permission_error',
        result: `Failed to authenticate. API Error: 403 ${REGION}`,
      }),
      'claude',
      'permanent/unsupported_region/none',
    ],
    [
      "a deadline in opencode's log, behind its word for any failed request",
      opencodeLog('AI_APICallError: Request timed out'),
      'opencode',
      'timeout/timeout/maybe',
    ],
    [
      'a server error there',
      opencodeLog('AI_APICallError: Internal server error'),
      'opencode',
      'transient/server_error/maybe',
    ],
    [
      'broken JSON there',
      opencodeLog('AI_JSONParseError: JSON parsing failed'),
      'opencode',
      'transient/bad_json/maybe',
    ],
    [
      'a stream of gemini that our own timer cut',
      {
        exitCode: 0,
        signal: null,
        timedOut: true,
        stderr: '',
        stdout:
          '{"type":"init","session_id":"g","model":"m"}\n{"type":"message","role":"user","content":"x"}\n',
      },
      'gemini',
      'timeout/timeout/maybe',
    ],
    [
      "the end of Google's stream as a list",
      answered(
        'application/json',
        '[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},\r\n{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}]',
      ),
      'gemini',
      'transient/overloaded/maybe',
    ],
    [
      "a refusal in the last change of Anthropic's stream",
      answered(
        'text/event-stream',
        'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"refusal"}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
      ),
      'anthropic',
      'permanent/content_policy/maybe',
    ],
  ])('%s', (_title, input, provider, expected) => {
    const failure = classify(input, { provider, now: 0 })
    expect(failure && `${failure.class}/${failure.kind}/${failure.effect}`).toBe(expected)
  })
})
