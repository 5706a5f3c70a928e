import { family } from '../catalogue/rule.ts'
import type { AgentEvent } from './event.ts'
import { BEGAN, type EventMeaning, failed, IGNORED, retrying, SUCCEEDED, WORKED } from './meaning.ts'
import type { AgentProfile, ProfileRules, ProfileSample } from './profile.ts'
import { lines, printed } from './shapes.ts'
import { usageWithCached } from './spending.ts'
import type { Work } from './work.ts'

/** Its retry notice, with the cause in brackets. */
const RECONNECTING = /^Reconnecting\.\.\.[^(]*(?:\((.*)\))?$/s
/** A try over WebSockets. After a few it falls back to plain HTTPS; only then is a failure final. */
const BY_WEBSOCKET = /\bwss?:\/\/|\bwebsocket/i

/** Items that are words; all others are tools. */
const WORDS = new Set(['agent_message', 'reasoning', 'todo_list'])
/** Items that end a turn of the model. */
const TURNS = new Set([
  'agent_message',
  'command_execution',
  'file_change',
  'mcp_tool_call',
  'collab_tool_call',
  'web_search',
])

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

const failedTurn = (message: string) =>
  lines({ type: 'thread.started', thread_id: 't-1' }, { type: 'turn.failed', error: { message } })

/** Codex prints neither codes nor statuses; its sentences are the only evidence. */
export const rules: ProfileRules = () =>
  family('codex', {
    plan_without: {
      kind: 'billing',
      rank: 'cause',
      why: 'the plan does not include it; only a paid one does',
      when: { says: ['use codex with your chat gpt plan'] },
      example: failedTurn(
        'To use Codex with your ChatGPT plan, upgrade to Plus: https://openai.com/chatgpt/pricing.',
      ),
    },
    key_variable: {
      kind: 'auth',
      why: "the environment variable for a provider's key is not set",
      when: { says: ['missing environment variable … (key|token)'] },
      example: printed('ERROR: Missing environment variable: `OPENROUTER_API_KEY`.'),
    },
    overrides: {
      kind: 'config',
      rank: 'cause',
      why: 'a setting on the command line cannot be parsed',
      when: { says: ['error parsing … overrides', 'error parsing … override'] },
      example: printed('Error parsing -c overrides: invalid TOML'),
    },
    shared_budget: {
      kind: 'max_tokens',
      rank: 'cause',
      why: "the run's limit of tokens or sub-agents is reached",
      when: { says: ['agent thread limit reached', 'rollout token budget exhausted'] },
      example: failedTurn('agent thread limit reached'),
    },
    server_side: {
      kind: 'server_error',
      rank: 'named',
      why: 'a service error ended the stream; the sentence about the cut stream only wraps it',
      when: {
        says: [
          'stream disconnected before completion …… (error occurred|had an error) while processing your request',
          'may cause temporary errors',
        ],
      },
      example: failedTurn(
        'stream disconnected before completion: An error occurred while processing your request. You can retry your request.',
      ),
    },
    lost_thread: {
      kind: 'not_found',
      rank: 'named',
      why: 'the thread to resume is not stored here',
      when: { says: ['no thread with id', 'no rollout found'] },
      example: 'no rollout found for thread id 0199',
    },
  })

export const sample = (): ProfileSample => ({
  success: {
    exitCode: 0,
    stdout: lines(
      { type: 'thread.started', thread_id: 't-1' },
      { type: 'turn.started' },
      { type: 'item.completed', item: { type: 'agent_message', text: 'The 429 is handled now.' } },
      { type: 'turn.completed', usage: { input_tokens: 9, cached_input_tokens: 4, output_tokens: 2 } },
    ).stdout,
  },
  answer: { text: 'The 429 is handled now.', sessionId: 't-1', turns: 1 },
  failure: {
    ...lines(
      { type: 'thread.started', thread_id: 't-1' },
      { type: 'turn.started' },
      { type: 'turn.failed', error: { message: "You've hit your usage limit." } },
    ),
    class: 'throttle',
    kind: 'usage_limit',
    sessionId: 't-1',
    turns: 1,
  },
})
