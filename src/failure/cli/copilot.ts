import { family } from '../catalogue/rule.ts'
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
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { lines } from './shapes.ts'
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

const failedRun = (data: object) =>
  lines(
    { type: 'session.error', data, id: 'e-1', timestamp: 't' },
    { type: 'result', sessionId: 's-1', exitCode: 1, usage: {} },
  )

/** Types of its session.error, and how it words credit problems. */
export const rules: ProfileRules = () =>
  family('copilot_cli', {
    credits: {
      kind: 'billing',
      rank: 'cause',
      why: "the month's credits are spent, and extra use is not paid for",
      when: [
        { code: ['error_type=quota'], also: ['agent=copilot'] },
        { code: ['billing_not_configured'] },
        { says: ['(run|ran) out of your … credits', 'no remaining quota for premium requests'] },
      ],
      example: 'You have no remaining quota for premium requests',
    },
    not_allowed: {
      kind: 'forbidden',
      why: 'its word for a login without the required rights',
      when: { code: ['error_type=authorization'], also: ['agent=copilot'] },
      example: failedRun({ errorType: 'authorization', message: 'no' }),
    },
    refused: {
      kind: 'content_policy',
      rank: 'cause',
      effect: 'maybe',
      why: 'the model declined or a filter blocked its answer, and the run reports success',
      when: {
        says: [
          '(sorry but|sorry) i (cannot|cant|am unable to|m unable to) (assist|help|comply|continue)',
          'i (cannot|cant|am unable to) (assist|comply) with (this|that)',
          'filtered by the responsible ai',
          'response was blocked by content filtering',
          'content violates usage guidelines',
        ],
      },
      example: {
        exitCode: 0,
        signal: null,
        stdout:
          'Sorry, the response was filtered by the Responsible AI Service. Please rephrase your prompt and try again.\n',
        stderr: '',
      },
      exampleProvider: 'copilot',
    },
    too_long: {
      kind: 'context_overflow',
      rank: 'cause',
      why: 'its word for a conversation that does not fit',
      when: { code: ['error_type=context_limit'] },
      example: failedRun({ errorType: 'context_limit', message: 'no' }),
    },
  })

export const sample = (): ProfileSample => ({
  success: {
    exitCode: 0,
    stdout: lines(
      { type: 'assistant.turn_start', data: { turnId: '0' }, id: 'e-1', timestamp: 't' },
      { type: 'assistant.message', data: { content: 'The 429 is handled now.' }, id: 'e-2', timestamp: 't' },
      { type: 'result', sessionId: 's-1', exitCode: 0, usage: {} },
    ).stdout,
  },
  answer: { text: 'The 429 is handled now.', sessionId: 's-1', turns: 1 },
  failure: {
    ...failedRun({ errorType: 'authentication', message: 'no' }),
    class: 'permanent',
    kind: 'auth',
    sessionId: 's-1',
  },
})
