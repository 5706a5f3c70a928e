import type { AgentEvent } from './event.ts'
import type { AgentProfile } from './profile.ts'
import { RESULT_STREAM_OUTCOME, RESULT_STREAM_SPENDING, RESULT_STREAM_WORK } from './result-line.ts'

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
