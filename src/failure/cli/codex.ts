import type { AgentEvent } from './event.ts'
import { BEGAN, type EventMeaning, failed, IGNORED, retrying, SUCCEEDED, WORKED } from './meaning.ts'
import type { AgentProfile } from './profile.ts'
import { usageWithCached } from './spending.ts'
import type { Work } from './work.ts'

/** Its retry notice, with the cause in brackets. */
const RECONNECTING = /^Reconnecting\.\.\.[^(]*(?:\((.*)\))?$/s
/** A try over WebSockets. After a few it falls back to plain HTTPS; only then is a failure final. */
const BY_WEBSOCKET = /\bwss?:\/\/|\bwebsocket/i

/** Items that are words; all others are tools. */
const WORDS = new Set(['agent_message', 'reasoning', 'todo_list'])
/** Items that end a turn of the model. */
const TURNS = new Set(
  `agent_message command_execution file_change mcp_tool_call collab_tool_call web_search`.split(/\s+/),
)

/** Codex CLI. */
export const codex: AgentProfile = {
  name: 'codex',
  names: ['codex', 'codex-cli', 'codex-acp', 'codex-exec'],
  isOwnEvent: event => /^(?:thread|turn|item)\./.test(event.type),
  text: {
    words: ['openai codex v', 'session id: '],
    opening: /^OpenAI Codex v\d/m,
    finalError: /^(?:ERROR|Error|error): /,
    work: /^(?:exec|codex|apply_patch|file update:?|apply patch)$/m,
    session: /^session id: ([\w-]{8,64})\s*$/m,
  },
  endsWithEvent: true,
  failsOnStderr: true,
  outcome: {
    'turn.started': () => BEGAN,
    'turn.completed': () => SUCCEEDED,
    'turn.failed': event => failed(event.value),
    'item.started': itemOutcome,
    'item.updated': itemOutcome,
    'item.completed': itemOutcome,
    error: reconnecting,
  },
  spending: {
    'turn.started': () => ({ turn: 'begins' }),
    'item.completed': event => (TURNS.has(itemType(event)) ? { turn: 'ends' } : undefined),
    'turn.completed': event => ({
      total: {
        usage: usageWithCached(event.inner('usage'), {
          input: 'input_tokens',
          output: 'output_tokens',
          cached: 'cached_input_tokens',
        }),
      },
    }),
  },
  work: { 'item.started': itemWork, 'item.updated': itemWork, 'item.completed': itemWork },
  otherEvents: ['thread.started'],
  tellsOfTools: 'after',
  resultEvents: ['turn.completed', 'turn.failed'],
  sessionField: 'thread_id',
  totalsOfSession: ['usage'],
  usageExitCode: 2,
}

function itemType(event: AgentEvent): string {
  return String(event.inner('item')?.get('type'))
}

/** What the model said or did. Warnings are items too, even before the first request. */
function itemOutcome(event: AgentEvent): EventMeaning {
  return itemType(event) === 'error' ? IGNORED : WORKED
}

function itemWork(event: AgentEvent): Work {
  const type = itemType(event)
  if (type === 'error') return {}
  if (!WORDS.has(type)) return { did: 'tool', tools: [type] }
  const isSaid = type === 'agent_message' && event.type === 'item.completed'
  return { did: 'progress', ...(isSaid ? { text: event.inner('item')?.text('text') ?? '' } : {}) }
}

function reconnecting(event: AgentEvent): EventMeaning | undefined {
  const notice = RECONNECTING.exec(event.text('message') ?? '')
  if (!notice) return undefined
  const cause = notice[1]
  return retrying(event.value, {
    ...(cause === undefined ? {} : { cause }),
    ...(BY_WEBSOCKET.test(cause ?? '') ? { hasAnotherWay: true } : {}),
  })
}
