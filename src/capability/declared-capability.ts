import type { BackoffName } from '../verdict/backoff.ts'
import type { PresetName } from '../verdict/presets/presets.ts'
import type { RetryPolicy } from '../verdict/retry-policy.ts'
import type { DeclaredParams } from './declared-params.ts'
import type { AgentOption } from './kind/agent-capability.ts'
import type { Method } from './kind/request.ts'

/** A text in a config: a string, or a reference that is written as `env:NAME`. */
export type DeclaredText = string | { readonly variable: string }

/** An HTTP request in a config. */
export interface DeclaredRequest {
  /** Default: POST for work, GET for a verification. */
  method?: Method | Lowercase<Method> | undefined
  /** The URL; `{name}` is replaced by a parameter. */
  url: DeclaredText
  /** Default: none. */
  headers?: Readonly<Record<string, DeclaredText>> | undefined
  /** Default: none. */
  body?: DeclaredText | undefined
}

/** A `[[capability]]` table of the config, with TypeScript names. Exactly one of argv, http, agent and module. */
export interface DeclaredCapability {
  /** Its name in operations. */
  name: string
  /** What it does. Default: none. */
  description?: string | undefined
  /** A program and its arguments; no shell is used. */
  argv?: readonly DeclaredText[] | undefined
  /** For commands: environment variables of the program. */
  env?: Readonly<Record<string, DeclaredText>> | undefined
  /** For commands: working folder, relative to the config file. */
  cwd?: string | undefined
  /** For commands: text for stdin. */
  stdin?: DeclaredText | undefined
  /** For commands and requests: how the result is parsed. */
  output?: 'text' | 'json' | undefined
  refusals?: readonly number[] | undefined
  /** A request. */
  http?: DeclaredRequest | undefined
  /** A run of an agent CLI. By default its session is resumed, and it has no worktree of its own. */
  agent?:
    | {
        prompt: DeclaredText
        cwd?: string | undefined
        resume?: boolean | undefined
        worktree?: boolean | undefined
        options?: Readonly<Record<string, AgentOption>> | undefined
        jobOptions?: readonly string[] | undefined
      }
    | undefined
  /** Path of a module and the name of its export: `./work.ts#deploy`. Without a name, the default export. */
  module?: string | undefined
  /** Its parameters by name. Default: none. */
  params?: DeclaredParams | undefined
  /**
   * Whether it may run a second time. Required for commands and functions. Default for requests and agents: `none`; for GET, HEAD
   * and agents with their own worktree: `replay`.
   */
  retry?: RetryPolicy | undefined
  /** True if it is a single request, or harmless, until it commits. Default false. */
  atomic?: boolean | undefined
  /** For `verify_first`: how to check whether its effect is there. By default at once, for at most 30 s. */
  verify?:
    | {
        argv?: readonly DeclaredText[] | undefined
        http?: DeclaredRequest | undefined
        delayMs?: number | undefined
        timeoutMs?: number | undefined
      }
    | undefined
  /** The provider that serves it. Default: none. */
  provider?: string | undefined
  /** The pool that serves it, in place of a provider. Default: none. */
  pool?: string | undefined
  /** The name of a preset; `default` for the default policy, regardless of the provider and the config. */
  policy?: PresetName | 'default' | undefined
  /** Time limit of one try, in milliseconds. Default: none. */
  timeoutMs?: number | undefined
  /** How long its runner may be silent, in milliseconds. Default: the queue's. */
  leaseMs?: number | undefined
  /** How many of its operations run at once, over all runners. Default: no limit. */
  concurrency?: number | undefined
  /** Integer from -10 to 10; higher runs first. Default 0. */
  priority?: number | undefined
  /** Retry limit of an operation. Default: the queue's. */
  maxRetries?: number | undefined
  /** How the waits between retries grow. Default: the queue's. */
  backoff?: BackoffName | undefined
  /** Retries end this long after the first failure, in milliseconds. Default: the queue's. */
  retryForMs?: number | undefined
}
