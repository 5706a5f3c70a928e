import type { BackoffName, PresetName } from '../verdict/index.ts'
import type { DeclaredParams } from './declared-params.ts'
import type { AgentOption } from './kind/agent-capability.ts'
import type { Method } from './kind/request.ts'
import type { RetryPolicy } from './retry-policy.ts'

/** A text of a config: itself, or a reference that writes itself as `env:NAME`. */
export type DeclaredText = string | { readonly variable: string }

export interface DeclaredRequest {
  method?: Method | Lowercase<Method> | undefined
  url: DeclaredText
  headers?: Readonly<Record<string, DeclaredText>> | undefined
  body?: DeclaredText | undefined
}

/** A `[[capability]]` table of the config, in TypeScript's words. Exactly one of argv, http, agent and module. */
export interface DeclaredCapability {
  name: string
  description?: string | undefined
  argv?: readonly DeclaredText[] | undefined
  /** For commands: variables set for the program. */
  env?: Readonly<Record<string, DeclaredText>> | undefined
  /** For commands: folder it runs in, relative to the config file. */
  cwd?: string | undefined
  /** For commands: text for stdin. */
  stdin?: DeclaredText | undefined
  /** For commands and requests: what the result is. */
  output?: 'text' | 'json' | undefined
  http?: DeclaredRequest | undefined
  agent?:
    | {
        prompt: DeclaredText
        cwd?: string | undefined
        resume?: boolean | undefined
        worktree?: boolean | undefined
        options?: Readonly<Record<string, AgentOption>> | undefined
      }
    | undefined
  /** Path of a module and the name of its export: `./work.ts#deploy`. Without a name, the default export. */
  module?: string | undefined
  params?: DeclaredParams | undefined
  retry?: RetryPolicy | undefined
  verify?:
    | {
        argv?: readonly DeclaredText[] | undefined
        http?: DeclaredRequest | undefined
        delayMs?: number | undefined
        timeoutMs?: number | undefined
      }
    | undefined
  provider?: string | undefined
  pool?: string | undefined
  /** A preset by its name; `default` for ours, whatever the provider and the config say. */
  policy?: PresetName | 'default' | undefined
  timeoutMs?: number | undefined
  leaseMs?: number | undefined
  concurrency?: number | undefined
  priority?: number | undefined
  maxRetries?: number | undefined
  backoff?: BackoffName | undefined
  retryForMs?: number | undefined
}
