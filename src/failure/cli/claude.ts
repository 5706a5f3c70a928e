import type { AgentEvent } from './event.ts'
import type { AgentProfile } from './profile.ts'
import { RESULT_STREAM_OUTCOME, RESULT_STREAM_SPENDING, RESULT_STREAM_WORK } from './result-line.ts'

/** Claude Code and its SDK. */
export const claude: AgentProfile = {
  name: 'claude',
  names: [
    'claude',
    'claude-code',
    'claude-cli',
    'claude-agent-sdk',
    'claude-code-action',
    'claudecode',
    'claudecli',
  ],
  isOwnEvent,
  endsWithEvent: true,
  outcome: RESULT_STREAM_OUTCOME,
  spending: RESULT_STREAM_SPENDING,
  work: RESULT_STREAM_WORK,
  otherEvents: ['rate_limit_event', 'keep_alive', 'auth_status', 'control_request', 'control_response'],
  tellsOfTools: 'before',
  readingTools: ['Read', 'Glob', 'Grep', 'LS', 'NotebookRead'],
  resultEvents: ['result'],
  sessionField: 'session_id',
  totalsOfSession: ['cost'],
}

function isOwnEvent(event: AgentEvent): boolean {
  if (event.type !== 'result' && event.type !== 'system') return false
  if (['claude_code_version', 'total_cost_usd', 'modelUsage'].some(field => event.has(field))) return true
  // Cursor's first line also has a key source, but with other values and without tools.
  const keySource = event.text('apiKeySource')
  if (keySource === undefined || event.has('request_id')) return false
  return event.has('tools') || !/^(?:env|flag|login)$/.test(keySource)
}
