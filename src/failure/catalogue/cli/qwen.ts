import { family } from '../rule.ts'
import { printed, result } from './shapes.ts'

/** Qwen Code, where it differs from Gemini CLI. */
export default family('qwen_code', {
  budget: {
    kind: 'max_budget',
    rank: 'cause',
    why: 'exit 55: a budget of time or tool calls given on the command line',
    when: [{ code: ['exit=55'], also: ['agent=qwen'] }, { code: ['FatalBudgetExceededError'] }],
    example: printed('Qwen Code stopped', 55),
  },
  no_login: {
    kind: 'auth',
    rank: 'cause',
    why: 'nobody has chosen a way to log in; it stops before the first request',
    when: { says: ['no auth type is selected'] },
    example: result({
      subtype: 'error_during_execution',
      error: { message: 'No auth type is selected. Please configure an auth type before running.' },
    }),
  },
  no_stream: {
    kind: 'bad_json',
    rank: 'cause',
    why: 'something else than the vendor answered with 200: an empty body, a text, the login page of a network',
    when: { says: ['received a non sse response'] },
    example: result({
      subtype: 'error_during_execution',
      error: {
        message:
          '[API Error: Streaming request received a non-SSE response (HTTP 200, Content-Type: text/plain). Body prefix: OK\n]',
      },
    }),
  },
  free_tier_closed: {
    kind: 'auth',
    rank: 'cause',
    why: 'the free login no longer exists; another way of logging in has to be chosen',
    when: { says: ['free tier (has been|was|is) discontinued'] },
    example: result({
      subtype: 'error_during_execution',
      error: { message: 'Qwen OAuth free tier has been discontinued. Run /auth to switch.' },
    }),
  },
})
