import type { AgentCli } from '../config/agent-clis.ts'
import { namesOf } from '../option/check-names.ts'
import type { AgentOptions } from './options.ts'

/** The price of a million tokens in US dollars, for CLIs that report tokens but no cost. */
export interface Price {
  inputUsd: number
  outputUsd: number
  /** For input read from a cache. Default: `inputUsd`. */
  cachedUsd?: number
}

/** One provider that is an agent CLI with its login. Contains names of environment variables, never their values. */
export interface AgentSettings {
  /** The provider's name. */
  id: string
  cli: AgentCli
  /** The program, by path or name. Default: the CLI's own name, found on PATH; required for `command`. */
  binary?: string
  /**
   * Arguments before ours, passed unchanged. For a `command`, `{prompt}` in them is replaced by the prompt, which then does not
   * go to stdin. Default: none.
   */
  args?: readonly string[]
  /** Default: the CLI's own setting. */
  model?: string
  /** Options for requests that do not set them. Default: none. */
  defaults?: AgentOptions
  /** Options that no request can change. Default: none. */
  pinned?: AgentOptions
  /** The variable of our environment with this account's key; the CLI gets it under the name it reads. */
  credentialEnv?: string
  /** Variables for the CLI with their values, for what is not secret. */
  env?: Readonly<Record<string, string>>
  /** Variables for the CLI: their names there, and the names of our variables to take them from. */
  envFrom?: Readonly<Record<string, string>>
  /** Names of our variables that the CLI sees. Default: all. */
  passEnv?: readonly string[]
  /** Allows `permissionMode: 'bypassPermissions'`. Default false: it is refused. */
  allowDangerous?: boolean
  /** The lowest version to run. Default: not checked, except by `doctor`. */
  minVersion?: string
  /** How often the CLI may retry a request on its own, if it has such an option. Default 2. */
  selfRetries?: number
  price?: Price
  /** The entry of codex's `model_providers` to use. Default: codex's own provider, whose retries cannot be set. */
  modelProvider?: string
  /** Longest time without any output, in milliseconds. Default 10 min. */
  stallMs?: number
}

/** The names of all settings of an agent. */
export const AGENT_SETTING_NAMES = namesOf<AgentSettings>({
  id: true,
  cli: true,
  binary: true,
  args: true,
  model: true,
  defaults: true,
  pinned: true,
  credentialEnv: true,
  env: true,
  envFrom: true,
  passEnv: true,
  allowDangerous: true,
  minVersion: true,
  selfRetries: true,
  price: true,
  modelProvider: true,
  stallMs: true,
})

/** How often a CLI retries on its own by default: enough for a blip during a long run, too few to hide a limit. */
export const SELF_RETRIES_DEFAULT = 2

/** Longer than any silence of a healthy run, in milliseconds: a tool may be busy for minutes. */
export const STALL_DEFAULT_MS = 600_000
