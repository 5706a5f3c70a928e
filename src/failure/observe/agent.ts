import { anyOf, glanceAt, maySay } from '../text/glance.ts'
import type { Fields } from './read.ts'

/** The agent CLIs that we know. */
export type Agent = keyof typeof NAMES

/** The names that their providers and binaries go by. */
const NAMES = {
  claude: /^claude(?:[-_ ]?(?:code|agent-sdk|code-action|cli))?$/,
  codex: /^codex(?:-cli|-acp|-exec)?$/,
  opencode: /^(?:opencode(?:-go|-cli)?|kilo(?:-code|-cli)?)$/,
  gemini: /^(?:gemini-cli|gemini-code|antigravity(?:-cli)?)$/,
  qwen: /^qwen(?:-code|-cli)?$/,
  kimi: /^kimi(?:-cli|-code|-for-coding)?$/,
  goose: /^goose(?:-cli)?$/,
  aider: /^aider$/,
  crush: /^crush$/,
  amp: /^amp(?:code)?$/,
  copilot: /^(?:github-)?copilot(?:-cli)?$/,
  cursor: /^cursor(?:-agent|-cli)?$/,
  droid: /^(?:droid|factory(?:-droid)?)$/,
  cline: /^cline(?:-cli)?$/,
  roo: /^roo(?:-code|-cli)?$/,
  continue: /^(?:continue(?:-cli)?|cn)$/,
  openhands: /^openhands(?:-cli)?$/,
  'swe-agent': /^(?:mini-)?swe-?agent$/,
  plandex: /^plandex$/,
} as const satisfies Record<string, RegExp>

/** Lines that only one of them prints. */
const TEXTS: readonly (readonly [Agent, RegExp])[] = [
  ['codex', /^OpenAI Codex v\d/m],
  ['aider', /^Aider v\d|^The API provider(?:'s servers| has| is| timed)|^Tokens: .{1,80} Cost: \$/m],
  [
    'goose',
    /^starting session \| provider: |^Please retry if you think this is a transient or recoverable error\.$/m,
  ],
  ['opencode', /^> \w+ · \S+$/m],
  ['crush', /\bagent (?:processing|run) failed: /],
  ['kimi', /\bkimi -r \w|^error: failed to run prompt: /m],
  ['qwen', /\bQwen Code\b|\bqwen-code\b/],
  ['gemini', /\bGemini CLI\b|\bgemini-cli\b|gemini-client-error-/],
  ['openhands', /^\W{0,8}Conversation run failed for id=/m],
]

/** The agent CLI that a provider's name means; undefined for programs that are none. */
export function agentOf(provider: string | undefined): Agent | undefined {
  if (!provider) return undefined
  const name = provider.toLowerCase().split('/').at(-1) as string
  return (Object.keys(NAMES) as Agent[]).find(agent => NAMES[agent].test(name))
}

const TEXT_WORDS = anyOf(
  'openai codex v',
  'aider v',
  'the api provider',
  'tokens: ',
  'starting session',
  'please retry if you',
  // The dot of opencode stands between blanks.
  ' · ',
  'agent processing failed',
  'agent run failed',
  'kimi -r ',
  'error: failed to run prompt',
  'qwen code',
  'qwen-code',
  'gemini cli',
  'gemini-cli',
  'gemini-client',
  'conversation run failed',
)

/** The agent CLI that prints such a text. */
export function agentOfText(text: string): Agent | undefined {
  if (text === '' || !maySay(glanceAt(text), TEXT_WORDS)) return undefined
  return TEXTS.find(([, pattern]) => pattern.test(text))?.[0]
}

/** The agent CLI that prints such an event, where its shape is of one alone. */
export function agentOfEvent(fields: Fields): Agent | undefined {
  const type = fields.get('type')
  if (typeof type !== 'string') return agentOfUntyped(fields)
  if (fields.get('role') === 'meta') return 'kimi'
  if (/^(?:thread|turn|item)\./.test(type)) return 'codex'
  if (/^(?:session|assistant|tool)\./.test(type) && fields.has('data')) return 'copilot'
  if (fields.has('sessionID')) return 'opencode'
  if (fields.has('ts') && /^(?:run_|agent_event|team_event)/.test(type)) return 'cline'
  if (type === 'result' || type === 'system') return agentOfResult(fields)
  if (type === 'init' && fields.has('session_id')) return 'gemini'
  if (type === 'completion' && fields.has('finalText')) return 'droid'
  if ((type === 'complete' && fields.has('total_tokens')) || type === 'notification') return 'goose'
  return undefined
}

/** Fields of a first or last line in the manner of Claude Code, by which those who copied it differ. */
const RESULT_FIELDS: readonly (readonly [string, Agent])[] = [
  ['exitCode', 'copilot'],
  ['stats', 'gemini'],
  ['success', 'roo'],
  ['qwen_code_version', 'qwen'],
  ['claude_code_version', 'claude'],
  ['total_cost_usd', 'claude'],
  ['modelUsage', 'claude'],
  ['request_id', 'cursor'],
]

function agentOfResult(fields: Fields): Agent | undefined {
  const known = RESULT_FIELDS.find(([field]) => fields.has(field))?.[1]
  if (known) return known
  const keySource = fields.get('apiKeySource')
  if (typeof keySource === 'string') return isCursorInit(fields, keySource) ? 'cursor' : 'claude'
  const session = fields.get('session_id')
  if (typeof session === 'string' && session.startsWith('T-')) return 'amp'
  if (fields.get('subtype') === 'failure') return 'droid'
  const error = fields.get('error')
  if (fields.get('is_error') !== true || error === undefined) return undefined
  return typeof error === 'string' ? 'amp' : 'qwen'
}

/** Cursor's first line says where the key came from as Claude Code's does, with words of its own and without tools. */
function isCursorInit(fields: Fields, keySource: string): boolean {
  return /^(?:env|flag|login)$/.test(keySource) && !fields.has('tools')
}

function agentOfUntyped(fields: Fields): Agent | undefined {
  const role = fields.get('role')
  if ((role === 'assistant' || role === 'tool') && fields.has('content')) return 'kimi'
  if (fields.has('session_id') && (fields.has('response') || fields.has('error'))) return 'gemini'
  if (fields.has('messages') && fields.has('metadata')) return 'goose'
  if (fields.has('trajectory') && fields.has('info')) return 'swe-agent'
  if (typeof fields.get('kind') === 'string' && /Event$/.test(fields.get('kind') as string))
    return 'openhands'
  return undefined
}

/** CLIs whose stream of events always ends with one that says how the run ended: without it, the run was cut off. */
export const ENDS_WITH_EVENT: ReadonlySet<Agent> = new Set([
  'claude',
  'codex',
  'opencode',
  'gemini',
  'qwen',
  'amp',
  'cursor',
  'droid',
  'copilot',
  'cline',
  'roo',
])

/** CLIs that keep stdout for the answer and say on stderr why they failed. */
export const FAILS_ON_STDERR: ReadonlySet<Agent> = new Set([
  'codex',
  'gemini',
  'qwen',
  'opencode',
  'crush',
  'amp',
  'copilot',
  'cursor',
  'cline',
  'continue',
  'plandex',
])
