import { MEANING, type MeaningfulError, type OwnMeaning } from '../failure/own-error.ts'
import { isSessionId } from '../failure/session-id.ts'
import { remedyFor } from '../option/check-names.ts'
import { isToolPattern } from './tool-pattern.ts'

export const PERMISSION_MODES = [
  'default',
  'acceptEdits',
  'bypassPermissions',
  'dontAsk',
  'plan',
  'auto',
] as const
/** What an agent may do without asking. */
export type PermissionMode = (typeof PERMISSION_MODES)[number]

export const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const
/** How hard a model thinks. */
export type Effort = (typeof EFFORTS)[number]

export const HERMETIC_SCOPES = ['full', 'project'] as const

/** What a run of an agent may be told. Each CLI takes some of it; what it lacks is refused by name. */
export interface AgentOptions {
  /** Default what the CLI is set to. */
  model?: string
  /** Model for when the first one has no capacity: the CLI's own failover. */
  fallbackModel?: string
  /** The folder it works in. Default that of the caller. */
  workingDir?: string
  /** The program, to pin a version. */
  binary?: string
  /** Further folders that it may work in. */
  addDir?: string | readonly string[]
  /** Replaces the CLI's system prompt. */
  systemPrompt?: string
  /** Added to the CLI's system prompt. */
  appendSystemPrompt?: string
  systemPromptFile?: string
  appendSystemPromptFile?: string
  /** MCP tool that answers when a permission is asked for. */
  permissionPromptTool?: string
  maxThinkingTokens?: number
  permissionMode?: PermissionMode
  allowedTools?: readonly string[]
  disallowedTools?: readonly string[]
  /** Files with MCP servers. */
  mcpConfig?: readonly string[]
  /** Name of an agent profile. */
  agent?: string
  effort?: Effort
  /** Most turns of the model; a rail. */
  maxTurns?: number
  /** Most US dollars; a rail that is checked after each step, so the last step may pass it. */
  maxBudgetUsd?: number
  /** Longest time of the run, in milliseconds; then its whole tree is ended. */
  timeoutMs?: number
  /** JSON Schema of the answer, as JSON. */
  jsonSchema?: string
  /** A git worktree for the run: true for one of its own, a name for one that is used again. */
  worktree?: boolean | string
  /** Ignores settings of the machine (`project`) and of the repository too (`full`, or true). */
  hermetic?: boolean | (typeof HERMETIC_SCOPES)[number]
  /** Session to continue. */
  resume?: string
  /** Id for the new session. */
  sessionId?: string
  /** Continues a copy of the session. */
  forkSession?: boolean
  /** The session is not stored, and cannot be resumed. */
  noSessionPersistence?: boolean
  /** Of the caller, for the caller: told again with the outcome, never to the CLI. */
  meta?: Readonly<Record<string, unknown>>
}

export type OptionName = keyof AgentOptions

interface OptionRule {
  /** Name in JSON and TOML. */
  json: string
  /** What would be right. */
  right: string
  test(value: unknown): boolean
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) > 0
const oneOf = (words: readonly string[]) => (value: unknown) => words.includes(value as string)

const text = (json: string): OptionRule => ({ json, right: 'a text that is not empty', test: isText })
const session = (json: string): OptionRule => ({
  json,
  right: 'the id of a session: letters, digits, dots and dashes, and none of these two first',
  test: isSessionId,
})
const list = (json: string): OptionRule => ({ json, right: 'a list of texts', test: isList })
const count = (json: string): OptionRule => ({ json, right: 'a whole number above 0', test: isCount })
const flag = (json: string): OptionRule => ({
  json,
  right: 'true or false',
  test: value => typeof value === 'boolean',
})

/** Every option there is. The order is that of the documentation. */
export const OPTION_RULES: Readonly<Record<OptionName, OptionRule>> = {
  model: text('model'),
  fallbackModel: text('fallback_model'),
  workingDir: text('working_dir'),
  binary: text('binary'),
  addDir: {
    json: 'add_dir',
    right: 'a folder or a list of folders',
    test: value => isText(value) || isList(value),
  },
  systemPrompt: text('system_prompt'),
  appendSystemPrompt: text('append_system_prompt'),
  systemPromptFile: text('system_prompt_file'),
  appendSystemPromptFile: text('append_system_prompt_file'),
  permissionPromptTool: text('permission_prompt_tool'),
  maxThinkingTokens: count('max_thinking_tokens'),
  permissionMode: {
    json: 'permission_mode',
    right: `one of ${PERMISSION_MODES.join(', ')}`,
    test: oneOf(PERMISSION_MODES),
  },
  allowedTools: list('allowed_tools'),
  disallowedTools: list('disallowed_tools'),
  mcpConfig: list('mcp_config'),
  agent: text('agent'),
  effort: { json: 'effort', right: `one of ${EFFORTS.join(', ')}`, test: oneOf(EFFORTS) },
  maxTurns: count('max_turns'),
  maxBudgetUsd: {
    json: 'max_budget_usd',
    right: 'a number of US dollars above 0',
    test: value => typeof value === 'number' && value > 0 && value < Infinity,
  },
  timeoutMs: {
    json: 'timeout',
    right: 'a number of milliseconds above 0',
    test: value => typeof value === 'number' && value > 0,
  },
  jsonSchema: { json: 'json_schema', right: 'a JSON Schema, as JSON', test: isJsonObject },
  worktree: {
    json: 'worktree',
    right: 'true, false, or a name of letters, digits, dots and dashes',
    test: value =>
      typeof value === 'boolean' || (typeof value === 'string' && /^\w[\w.-]{0,63}$/.test(value)),
  },
  hermetic: {
    json: 'hermetic',
    right: `true, false, or one of ${HERMETIC_SCOPES.join(', ')}`,
    test: value => typeof value === 'boolean' || oneOf(HERMETIC_SCOPES)(value),
  },
  resume: session('resume'),
  sessionId: session('session_id'),
  forkSession: flag('fork_session'),
  noSessionPersistence: flag('no_session_persistence'),
  meta: { json: 'meta', right: 'an object of JSON values', test: isMeta },
}

export const OPTION_NAMES = Object.keys(OPTION_RULES) as readonly OptionName[]

/** What a key of `meta` may not be called: it would look like an option that was set. */
const TAKEN_NAMES: ReadonlySet<string> = new Set([
  'prompt',
  ...OPTION_NAMES,
  ...OPTION_NAMES.map(name => OPTION_RULES[name].json),
])

/** An option that cannot be used: says which and what would be right, and not the value, which may be private. */
export class OptionError extends Error implements MeaningfulError {
  override name = 'OptionError'
  readonly code = 'AGENT_OPTION'
  readonly option: string
  readonly kind: 'config' | 'invalid_tool_pattern' | 'dangerous_not_allowed'

  constructor(option: string, problem: string, kind: OptionError['kind'] = 'config') {
    super(`option ${option}: ${problem}`)
    this.option = option
    this.kind = kind
  }

  get [MEANING](): OwnMeaning {
    return { kind: this.kind }
  }
}

/** Throws an {@link OptionError} unless every option is known and holds what it should. */
export function checkOptions(options: AgentOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    const rule = Object.hasOwn(OPTION_RULES, name) ? OPTION_RULES[name as OptionName] : undefined
    if (!rule) throw new OptionError(name, `there is none of this name${remedyFor(name, OPTION_NAMES)}`)
    if (!rule.test(value)) throw new OptionError(name, `must be ${rule.right}`)
    const taken = name === 'meta' && Object.keys(value as object).find(key => TAKEN_NAMES.has(key))
    if (taken) throw new OptionError(name, `its key "${taken}" is the name of an option; choose another`)
  }
  for (const name of ['allowedTools', 'disallowedTools'] as const) {
    const at = options[name]?.findIndex(pattern => !isToolPattern(pattern)) ?? -1
    if (at >= 0)
      throw new OptionError(
        name,
        `entry ${at + 1} is no tool pattern such as Read, Bash(git log *) or mcp__server__tool`,
        'invalid_tool_pattern',
      )
  }
}

/** Options as they will be used: what is pinned beats the request, which beats the defaults. */
export function mergeOptions(
  defaults: AgentOptions | undefined,
  request: AgentOptions | undefined,
  pinned: AgentOptions | undefined,
): AgentOptions {
  const merged: Record<string, unknown> = {}
  for (const layer of [defaults, request, pinned]) {
    for (const [name, value] of Object.entries(layer ?? {})) if (value !== undefined) merged[name] = value
  }
  const options = merged as AgentOptions
  checkOptions(options)
  return options
}

/** Options under their names in JSON (`max_turns`, `timeout` in milliseconds) as options here. */
export function optionsFromJson(json: Readonly<Record<string, unknown>>): AgentOptions {
  const options: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(json)) {
    const name = OPTION_NAMES.find(option => OPTION_RULES[option].json === key)
    if (!name) {
      const known = OPTION_NAMES.map(option => OPTION_RULES[option].json)
      throw new OptionError(key, `there is none of this name${remedyFor(key, known)}`)
    }
    options[name] = name === 'permissionMode' && typeof value === 'string' ? toCamel(value) : value
  }
  checkOptions(options as AgentOptions)
  return options as AgentOptions
}

function toCamel(word: string): string {
  return word.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
}

function isJsonObject(value: unknown): boolean {
  if (typeof value !== 'string') return false
  try {
    const schema: unknown = JSON.parse(value)
    return typeof schema === 'object' && schema !== null && !Array.isArray(schema)
  } catch {
    return false
  }
}

function isMeta(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}
