import { family } from '../rule.ts'
import { answer, refused } from './example.ts'

/** Groq: OpenAI's envelope, with codes for what the model wrote. */
export default family('groq', {
  bad_call: {
    kind: 'bad_json',
    rank: 'named',
    why: 'a 400 for what the model wrote, not for our request: another sample may be well formed',
    when: {
      says: [
        'tool use failed',
        'json validate failed',
        'failed to call a function',
        'failed to validate json',
        'see failed generation',
        'tool call validation failed',
        'which was not in request tools',
      ],
    },
    example: refused(400, {
      type: 'invalid_request_error',
      code: 'tool_use_failed',
      failed_generation: '<function=x>',
    }),
  },
  decommissioned: {
    kind: 'model_not_found',
    rank: 'cause',
    why: 'the model is no longer served',
    when: { says: ['model decommissioned'] },
    example: refused(400, { type: 'invalid_request_error', code: 'model_decommissioned' }),
  },
  flex_full: {
    kind: 'overloaded',
    effect: 'none',
    rank: 'named',
    why: 'its 498: the flex tier is full; nothing was processed',
    when: { status: [498], vendor: ['groq'] },
    example: answer(498),
    exampleProvider: 'groq',
  },
  hung_up: {
    kind: 'aborted',
    rank: 'said',
    why: '499: the server saw its client disconnect',
    when: { status: [499], vendor: ['groq', 'ollama', 'google'], unless: ['streaming error'] },
    example: answer(499, { error: { message: 'See the documentation.' } }),
    exampleProvider: 'groq',
  },
})
