import type { AgentEvent } from './event.ts'
import {
  answered,
  BEGAN,
  type EventMeaning,
  failed,
  IGNORED,
  retrying,
  SUCCEEDED,
  stopped,
  WORKED,
} from './meaning.ts'
import type { AgentProfile } from './profile.ts'
import type { Work } from './work.ts'

/** GitHub Copilot CLI. */
export const copilot: AgentProfile = {
  name: 'copilot',
  names: ['copilot', 'copilot-cli', 'github-copilot', 'github-copilot-cli'],
  isOwnEvent,
  endsWithEvent: true,
  failsOnStderr: true,
  outcome: {
    'assistant.turn_start': event => (event.has('data') ? BEGAN : undefined),
    'assistant.message': messageOutcome,
    'tool.execution_complete': event => (event.has('data') ? WORKED : undefined),
    'assistant.turn_end': ownIgnored,
    'assistant.turn_retry': ownIgnored,
    'assistant.idle': ownIgnored,
    'model.call_failure': callFailure,
    // It still exits 0 and reports success.
    abort: event => (event.inner('data')?.has('reason') ? stopped(INTERRUPTED) : undefined),
    'session.error': event =>
      event.inner('data')?.get('errorType') === 'model_call' ? retrying(event.value) : failed(event.value),
    'session.info': event =>
      event.inner('data')?.get('infoType') === 'model_retry' ? retrying(event.value) : IGNORED,
    result: event => {
      if (!event.has('exitCode')) return undefined
      return event.get('exitCode') === 0 ? SUCCEEDED : failed({})
    },
  },
  spending: { 'assistant.turn_start': event => (event.has('data') ? { turn: 'begins' } : undefined) },
  work: {
    'assistant.message': messageWork,
    'assistant.message_delta': () => ({ did: 'words' }),
    'tool.execution_start': event => ({ did: 'tool', tools: [event.inner('data')?.text('toolName')] }),
    'tool.execution_complete': () => ({ did: 'tool' }),
  },
  otherEvents: [
    'agent.interrupted',
    'assistant.intent',
    'assistant.message_start',
    'assistant.reasoning',
    'assistant.reasoning_delta',
    'assistant.tool_call_delta',
    'assistant.usage',
    'model.call_final_result',
    'model.call_finished',
    'model.call_start',
    'session.background_tasks_changed',
    'session.mcp_servers_loaded',
    'session.skills_loaded',
    'session.start',
    'session.tools_updated',
    'session.usage_info',
    'user.message',
  ],
  tellsOfTools: 'before',
  readingTools: ['view', 'glob', 'grep'],
  resultEvents: ['result'],
  sessionField: 'sessionId',
  notices: { lastComplaint: /^(?:Error: |Execution failed: )/ },
}

const INTERRUPTED = { name: 'AbortError', message: 'the run was interrupted' }

/** Events that sound like work but are not. */
function ownIgnored(event: AgentEvent): EventMeaning | undefined {
  return event.has('data') ? IGNORED : undefined
}

/** It retries on its own and reports each failed call in the vendor's words, which its last sentence may omit. */
function callFailure(event: AgentEvent): EventMeaning {
  const data = event.inner('data')
  const status = data?.amount('statusCode')
  const body = data?.text('errorMessage')
  return retrying(event.value, {
    cause: status === undefined ? { message: body } : { status, headers: {}, body },
  })
}

/** What it prints in place of an answer that a filter blocked. */
const NO_CONTENT = /^The model returned no content because /

/** A message without tools is the answer, or a notice that there is none. */
function messageOutcome(event: AgentEvent): EventMeaning | undefined {
  const data = event.inner('data')
  if (!data) return undefined
  if (data.parts('toolRequests', 1).length > 0) return WORKED
  const content = data.text('content')
  if (content !== undefined && NO_CONTENT.test(content)) return stopped({ message: content })
  const meaning = answered(content)
  return meaning.role === 'failed' ? meaning : WORKED
}

function messageWork(event: AgentEvent): Work {
  const data = event.inner('data')
  return { did: 'progress', text: data?.text('content'), model: data?.text('model') }
}

function isOwnEvent(event: AgentEvent): boolean {
  if (event.type === 'result' || event.type === 'system') return event.has('exitCode')
  return /^(?:session|assistant|tool|model)\./.test(event.type) && event.has('data')
}
