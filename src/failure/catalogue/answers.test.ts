import { describe, expect, it } from 'vitest'
import { classify } from '../classify.ts'

type Row = [what: string, provider: string | undefined, input: unknown, verdict: string]

const verdictOf = (input: unknown, provider?: string) => {
  const failure = classify(input, { provider, returned: true })
  return failure ? `${failure.class}/${failure.kind}, ${failure.effect}` : 'no failure'
}

const chat = (finish_reason: string) => ({
  choices: [{ finish_reason, message: { role: 'assistant', content: 'a' } }],
})
const gemini = (finishReason: string) => ({
  candidates: [{ finishReason, content: { parts: [{ text: 'a' }] } }],
})

describe('a 200', () => {
  const rows: Row[] = [
    ['with a whole answer', undefined, chat('stop'), 'no failure'],
    ['with a whole answer of Gemini', undefined, gemini('STOP'), 'no failure'],
    [
      'whose output filter was down',
      'azure',
      {
        choices: [
          { finish_reason: 'stop', content_filter_results: { error: { code: 'content_filter_error' } } },
        ],
      },
      'no failure',
    ],
    ['whose turn is only paused', 'anthropic', { stop_reason: 'pause_turn', content: [] }, 'no failure'],
    [
      'of MiniMax that says 0',
      'minimax',
      { base_resp: { status_code: 0, status_msg: 'success' } },
      'no failure',
    ],
    ['that was cut', undefined, chat('length'), 'rail/max_tokens, maybe'],
    ['that Gemini cut', undefined, gemini('MAX_TOKENS'), 'rail/max_tokens, maybe'],
    [
      'that was refused',
      undefined,
      { stop_reason: 'refusal', content: [] },
      'permanent/content_policy, maybe',
    ],
    [
      'whose prompt was refused',
      undefined,
      { promptFeedback: { blockReason: 'JAILBREAK' } },
      'permanent/content_policy, none',
    ],
    [
      'with an unreadable tool call',
      undefined,
      gemini('MALFORMED_FUNCTION_CALL'),
      'transient/bad_json, maybe',
    ],
    [
      'that ran out of machines',
      'deepseek',
      chat('insufficient_system_resource'),
      'transient/overloaded, maybe',
    ],
    [
      'that stopped at its own limit',
      'openai',
      { object: 'response', status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      'rail/max_tokens, maybe',
    ],
    [
      'of a job that was called off',
      'replicate',
      { id: 'x', status: 'canceled', error: null },
      'aborted/aborted, maybe',
    ],
    [
      'of MiniMax without balance',
      undefined,
      { base_resp: { status_code: 1008, status_msg: 'x' } },
      'throttle/billing, none',
    ],
    ['of Baidu at its limit', undefined, { error_code: 336501, error_msg: 'x' }, 'throttle/rate_limit, none'],
    [
      'of Tencent in arrears',
      undefined,
      { Response: { Error: { Code: 'FailedOperation.ServiceStopArrears', Message: 'x' } } },
      'throttle/billing, none',
    ],
  ]
  it.each(rows)('%s', (_what, provider, input, verdict) => expect(verdictOf(input, provider)).toBe(verdict))
})
