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

/** Options of an agent run. Each CLI supports some of them; an unsupported one is refused by name. */
export interface AgentOptions {
  /** Default: the CLI's own setting. */
  model?: string
  /** Model to use when the first one has no capacity: the CLI's own failover. */
  fallbackModel?: string
  /** The working folder. Default: the caller's. */
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
  /** MCP tool that answers permission requests. */
  permissionPromptTool?: string
  maxThinkingTokens?: number
  permissionMode?: PermissionMode
  allowedTools?: readonly string[]
  disallowedTools?: readonly string[]
  /** Files that define MCP servers. */
  mcpConfig?: readonly string[]
  /** Name of an agent profile. */
  agent?: string
  effort?: Effort
  /** Turn limit of the model; a rail. */
  maxTurns?: number
  /** Cost limit in US dollars; a rail that is checked after each step, so the last step may exceed it. */
  maxBudgetUsd?: number
  /** Time limit of the run in milliseconds, after which its whole process tree is ended. */
  timeoutMs?: number
  /** JSON Schema of the answer, as a JSON string. */
  jsonSchema?: string
  /** A git worktree for the run: true for a new one, a name for one that is reused. */
  worktree?: boolean | string
  /** Ignores the machine's settings (`project`), or also the repository's (`full`, or true). */
  hermetic?: boolean | (typeof HERMETIC_SCOPES)[number]
  /** The session to resume. */
  resume?: string
  /** Id for the new session. */
  sessionId?: string
  /** Resumes a copy of the session. */
  forkSession?: boolean
  /** The session is not stored, and cannot be resumed. */
  noSessionPersistence?: boolean
  /** The caller's own data: returned with the outcome, never passed to the CLI. */
  meta?: Readonly<Record<string, unknown>>
}

export type OptionName = keyof AgentOptions

interface OptionRule {
  /** Name in JSON and TOML. */
  json: string
  /** What a valid value looks like. */
  right: string
  test(value: unknown): boolean
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) > 0
const oneOf = (words: readonly string[]) => (value: unknown) => words.includes(value as string)

const text = (json: string): OptionRule => ({ json, right: 'a non-empty string', test: isText })
const session = (json: string): OptionRule => ({
  json,
  right: 'a session id: letters, digits, dots and dashes, starting with a letter or digit',
  test: isSessionId,
})
const list = (json: string): OptionRule => ({ json, right: 'a list of non-empty strings', test: isList })
const count = (json: string): OptionRule => ({ json, right: 'a whole number above 0', test: isCount })
const flag = (json: string): OptionRule => ({
  json,
  right: 'true or false',
  test: value => typeof value === 'boolean',
})

/** Every option, in the order of the documentation. */
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

/** Names not allowed as keys of `meta`, because they would look like options. */
const TAKEN_NAMES: ReadonlySet<string> = new Set([
  'prompt',
  ...OPTION_NAMES,
  ...OPTION_NAMES.map(name => OPTION_RULES[name].json),
])

/** An invalid option. The message says which and what would be right, but not the value, which may be private. */
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

/** Throws an {@link OptionError} unless every option is known and valid. */
export function checkOptions(options: AgentOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    const rule = Object.hasOwn(OPTION_RULES, name) ? OPTION_RULES[name as OptionName] : undefined
    if (!rule) throw new OptionError(name, `no such option${remedyFor(name, OPTION_NAMES)}`)
    if (!rule.test(value)) throw new OptionError(name, `must be ${rule.right}`)
    const taken = name === 'meta' && Object.keys(value as object).find(key => TAKEN_NAMES.has(key))
    if (taken) throw new OptionError(name, `its key "${taken}" is the name of an option; choose another`)
  }
  for (const name of ['allowedTools', 'disallowedTools'] as const) {
    const at = options[name]?.findIndex(pattern => !isToolPattern(pattern)) ?? -1
    if (at >= 0)
      throw new OptionError(
        name,
        `entry ${at + 1} is not a tool pattern such as Read, Bash(git log *) or mcp__server__tool`,
        'invalid_tool_pattern',
      )
  }
}

/** The options in force: pinned ones beat the request, which beats the defaults. */
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

/** Converts options from their JSON names (`max_turns`, `timeout` in milliseconds). */
export function optionsFromJson(json: Readonly<Record<string, unknown>>): AgentOptions {
  const options: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(json)) {
    const name = OPTION_NAMES.find(option => OPTION_RULES[option].json === key)
    if (!name) {
      const known = OPTION_NAMES.map(option => OPTION_RULES[option].json)
      throw new OptionError(key, `no such option${remedyFor(key, known)}`)
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
