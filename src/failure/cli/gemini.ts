import { type AgentEvent, NO_TYPE } from './event.ts'
import { answered, type EventMeaning, failed, SUCCEEDED, stopped } from './meaning.ts'
import type { AgentProfile } from './profile.ts'
import { usageWithCached } from './spending.ts'

/** Gemini CLI. */
export const gemini: AgentProfile = {
  name: 'gemini',
  names: ['gemini-cli', 'gemini-code', 'antigravity', 'antigravity-cli'],
  isOwnEvent,
  text: {
    words: ['gemini cli', 'gemini-cli', 'gemini-client'],
    signs: /\bGemini CLI\b|\bgemini-cli\b|gemini-client-error-/,
    errorReport: /^Error when talking to \w+ API\b/,
  },
  endsWithEvent: true,
  failsOnStderr: true,
  outcome: { result: resultOutcome, error: gaveUp, [NO_TYPE]: singleObject },
  spending: {
    message: event => (event.get('role') === 'assistant' ? { turn: 'goes on' } : undefined),
    tool_use: () => ({ turn: 'ends' }),
    result: event =>
      event.has('stats')
        ? {
            total: {
              usage: usageWithCached(event.inner('stats'), {
                input: 'input_tokens',
                output: 'output_tokens',
                cached: 'cached',
              }),
            },
          }
        : undefined,
  },
  work: {
    init: event => ({ model: event.text('model') }),
    message: event =>
      event.get('role') === 'assistant' ? { did: 'progress', moreText: event.text('content') } : {},
    tool_use: event => ({ did: 'tool', tools: [event.text('tool_name')], text: '' }),
    tool_result: () => ({ did: 'tool', text: '' }),
  },
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
  exitsWithStatus: true,
  exitCodeOverrulesSuccess: true,
  notices: {
    lastWords:
      /^(?:\[API Error: |The model (?:response was blocked|returned an empty)|Model response was truncated|Loop detected)/,
  },
}

function isOwnEvent(event: AgentEvent): boolean {
  if (event.type === 'result' || event.type === 'system') return event.has('stats')
  if (event.type === 'init') return event.has('session_id')
  return event.type === NO_TYPE && event.has('session_id') && (event.has('response') || event.has('error'))
}

const BAD_STATUS = /^(?:error|fail|abort|cancel|time)/i

function resultOutcome(event: AgentEvent): EventMeaning | undefined {
  if (!event.has('status')) return undefined
  return BAD_STATUS.test(String(event.get('status'))) ? failed(event.value) : SUCCEEDED
}

/** It calls this a warning, and reports success at the end. */
const GAVE_UP = /^(?:A potential )?loop (?:was )?detected\b/i

function gaveUp(event: AgentEvent): EventMeaning | undefined {
  const message = event.get('message') ?? event.get('content')
  return typeof message === 'string' && GAVE_UP.test(message) ? stopped({ message }) : undefined
}

/** Without streaming, the whole output is one object. */
function singleObject(event: AgentEvent): EventMeaning | undefined {
  if (!event.has('session_id')) return undefined
  const error = event.get('error')
  if (error !== undefined && error !== null && error !== '') return failed(event.value)
  const response = event.get('response')
  return typeof response === 'string' ? answered(response) : undefined
}
