import { family } from '../catalogue/rule.ts'
import type { AgentEvent } from './event.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { RESULT_STREAM_OUTCOME, RESULT_STREAM_SPENDING, RESULT_STREAM_WORK } from './result-line.ts'
import { lines, printed, result } from './shapes.ts'

/** Qwen Code: a fork of Gemini CLI that prints a stream like Claude Code's. */
export const qwen: AgentProfile = {
  name: 'qwen',
  names: ['qwen', 'qwen-code', 'qwen-cli'],
  isOwnEvent,
  text: {
    words: ['qwen code', 'qwen-code'],
    signs: /\bQwen Code\b|\bqwen-code\b/,
    errorReport: /^Error when talking to \w+ API\b/,
  },
  endsWithEvent: true,
  failsOnStderr: true,
  outcome: RESULT_STREAM_OUTCOME,
  spending: RESULT_STREAM_SPENDING,
  work: RESULT_STREAM_WORK,
  otherEvents: ['rate_limit_event', 'keep_alive', 'auth_status', 'control_request', 'control_response'],
  tellsOfTools: 'before',
  readingTools: [
    'read_file',
    'read_many_files',
    'list_directory',
    'glob',
    'grep_search',
    'search_file_content',
  ],
  resultEvents: ['result'],
  sessionField: 'session_id',
  totalsOfSession: ['usage'],
  exitsWithStatus: true,
  notices: { lastWords: /^(?:\[API Error: |Loop detected|Run aborted: )/ },
}

function isOwnEvent(event: AgentEvent): boolean {
  if (event.type !== 'result' && event.type !== 'system') return false
  if (event.has('qwen_code_version')) return true
  return event.get('is_error') === true && event.inner('error') !== undefined
}

/** Qwen Code, where it differs from Gemini CLI. */
export const rules: ProfileRules = () =>
  family('qwen_code', {
    budget: {
      kind: 'max_budget',
      rank: 'cause',
      why: 'exit 55: the time or tool call budget of the command line is used up',
      when: [{ code: ['exit=55'], also: ['agent=qwen'] }, { code: ['FatalBudgetExceededError'] }],
      example: printed('Qwen Code stopped', 55),
    },
    no_login: {
      kind: 'auth',
      rank: 'cause',
      why: 'no login method is chosen; it stops before the first request',
      when: { says: ['no auth type is selected'] },
      example: result({
        subtype: 'error_during_execution',
        error: { message: 'No auth type is selected. Please configure an auth type before running.' },
      }),
    },
    no_stream: {
      kind: 'bad_json',
      rank: 'cause',
      why: "something other than the vendor answered with 200: an empty body, text, a network's login page",
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
      why: 'the free login no longer exists; choose another login method',
      when: { says: ['free tier (has been|was|is) discontinued'] },
      example: result({
        subtype: 'error_during_execution',
        error: { message: 'Qwen OAuth free tier has been discontinued. Run /auth to switch.' },
      }),
    },
  })

export const sample = (): ProfileSample => ({
  success: {
    exitCode: 0,
    stdout: lines(
      { type: 'system', subtype: 'init', session_id: 's-1', model: 'qwen3', qwen_code_version: '0.20.0' },
      {
        type: 'assistant',
        session_id: 's-1',
        message: { id: 'm-1', content: [{ type: 'text', text: 'The 429 is handled now.' }] },
      },
      {
        type: 'result',
        subtype: 'success',
        is_error: false,
        result: 'The 429 is handled now.',
        session_id: 's-1',
        num_turns: 1,
      },
    ).stdout,
  },
  answer: { text: 'The 429 is handled now.', sessionId: 's-1', turns: 1 },
  failure: {
    ...result({
      subtype: 'error_during_execution',
      error: { message: 'No auth type is selected. Please configure an auth type before running.' },
    }),
    class: 'permanent',
    kind: 'auth',
    sessionId: 's-1',
    turns: 1,
  },
})
