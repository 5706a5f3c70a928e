import type { AgentCli } from '../config/agent-clis.ts'
import { namesOf } from '../option/check-names.ts'
import type { AgentOptions } from './options.ts'

/** What a million tokens cost, in US dollars; for CLIs that tell tokens and no price. */
export interface Price {
  inputUsd: number
  outputUsd: number
  /** Of input that was read from a cache. Default as `inputUsd`. */
  cachedUsd?: number
}

/** One provider that is an agent CLI with its login. Holds names of environment variables, never their values. */
export interface AgentSettings {
  /** The provider's name. */
  id: string
  cli: AgentCli
  /** The program, by path or by name. Default the CLI's own name, found on PATH; `command` needs one. */
  binary?: string
  /** Arguments before ours, given as they are; of a `command`, `{prompt}` in them stands for the prompt, which then does not go in by stdin. */
  args?: readonly string[]
  /** Default what the CLI is set to. */
  model?: string
  /** Options for requests that do not set them. */
  defaults?: AgentOptions
  /** Options that no request can change. */
  pinned?: AgentOptions
  /** Variable of our environment that holds the key of this account; the CLI gets it under the name that it reads. */
  credentialEnv?: string
  /** Variables for the CLI with their values, for what is no secret. */
  env?: Readonly<Record<string, string>>
  /** Variables for the CLI: their names there, and the names of ours that they are taken from. */
  envFrom?: Readonly<Record<string, string>>
  /** Names of the variables of our environment that the CLI sees. Default all. */
  passEnv?: readonly string[]
  /** Allows `permissionMode: 'bypassPermissions'`. Default false: then it is refused. */
  allowDangerous?: boolean
  /** Lowest version that is run. Default: not looked at, except by `doctor`. */
  minVersion?: string
  /** How often the CLI may retry a request on its own, where it has such an option. Default 2. */
  selfRetries?: number
  price?: Price
  /** The entry of codex's `model_providers` to use. Default codex's own provider, whose retries cannot be set. */
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

/** How often a CLI retries by itself unless told otherwise: enough for a blip amid a long run, too few to hide a limit. */
export const SELF_RETRIES_DEFAULT = 2

/** Longer than any silence of a healthy run: a tool may be busy for minutes. */
export const STALL_DEFAULT_MS = 600_000
