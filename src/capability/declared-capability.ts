import type { BackoffName } from '../verdict/backoff.ts'
import type { PresetName } from '../verdict/presets/presets.ts'
import type { DeclaredParams } from './declared-params.ts'
import type { AgentOption } from './kind/agent-capability.ts'
import type { Method } from './kind/request.ts'
import type { RetryPolicy } from './retry-policy.ts'

/** A text of a config: itself, or a reference that writes itself as `env:NAME`. */
export type DeclaredText = string | { readonly variable: string }

/** An HTTP request of a config. */
export interface DeclaredRequest {
  /** Default POST for work, GET for a verification. */
  method?: Method | Lowercase<Method> | undefined
  /** Address; `{name}` stands for a parameter. */
  url: DeclaredText
  /** Default none. */
  headers?: Readonly<Record<string, DeclaredText>> | undefined
  /** Default none. */
  body?: DeclaredText | undefined
}

/** A `[[capability]]` table of the config, in TypeScript's words. Exactly one of argv, http, agent and module. */
export interface DeclaredCapability {
  /** What operations call it. */
  name: string
  /** What it does. Default none. */
  description?: string | undefined
  /** A program and its arguments; no shell is involved. */
  argv?: readonly DeclaredText[] | undefined
  /** For commands: variables set for the program. */
  env?: Readonly<Record<string, DeclaredText>> | undefined
  /** For commands: folder it runs in, relative to the config file. */
  cwd?: string | undefined
  /** For commands: text for stdin. */
  stdin?: DeclaredText | undefined
  /** For commands and requests: what the result is. */
  output?: 'text' | 'json' | undefined
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
  /** Its parameters by name. Default none. */
  params?: DeclaredParams | undefined
  /**
   * Whether it may run a second time. Commands and functions must say; requests and agents default to `none`, GET, HEAD
   * and agents with a worktree of their own to `replay`.
   */
  retry?: RetryPolicy | undefined
  /** Until it commits it is one request, or harmless. Default false. */
  atomic?: boolean | undefined
  /** How it is asked whether its effect is there; for `verify_first`. By default at once, and for 30 s at most. */
  verify?:
    | {
        argv?: readonly DeclaredText[] | undefined
        http?: DeclaredRequest | undefined
        delayMs?: number | undefined
        timeoutMs?: number | undefined
      }
    | undefined
  /** The provider that serves it. Default none. */
  provider?: string | undefined
  /** The pool that serves it, instead of a provider. Default none. */
  pool?: string | undefined
  /** A preset by its name; `default` for ours, whatever the provider and the config say. */
  policy?: PresetName | 'default' | undefined
  /** Longest time of one try, in milliseconds. Default no limit. */
  timeoutMs?: number | undefined
  /** How long its runner may be silent, in milliseconds. Default that of the queue. */
  leaseMs?: number | undefined
  /** Operations of it that run at the same time, over all runners. Default no limit. */
  concurrency?: number | undefined
  /** Integer from -10 to 10; higher ones are run first. Default 0. */
  priority?: number | undefined
  /** Retries of an operation. Default that of the queue. */
  maxRetries?: number | undefined
  /** How the waits between retries grow. Default that of the queue. */
  backoff?: BackoffName | undefined
  /** Retries end this long after the first failure, in milliseconds. Default that of the queue. */
  retryForMs?: number | undefined
}
