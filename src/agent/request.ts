import type { Usage } from '../failure/cli/spending.ts'
import type { Deed } from '../failure/failure.ts'
import type { AgentOptions } from './options.ts'
import type { Worktree } from './worktree.ts'

/** A session of an agent CLI. It can be resumed only by its provider, in its folder. */
export interface AgentSession {
  provider: string
  id: string
  /** The folder that the run worked in. */
  cwd: string
  /** What the session has cost so far, over all its runs; null if unknown. */
  totalUsd: number | null
  /** Tokens used so far, over all its runs. */
  totalUsage: Usage | null
  /** How many times it has been resumed. */
  depth: number
  /** True if the model or a tool was seen to do something in it. Default true. */
  hasWorked?: boolean
  /** What was done in it. Default: unknown, if it has worked. */
  did?: Deed
  /** Its worktree, if it has its own. */
  worktree?: Worktree
}

/** One run of an agent. */
export interface AgentRequest {
  prompt: string
  /** Options of the request: they override the provider's defaults, but not its pinned options. */
  options?: AgentOptions
  /** The session that this run resumes. */
  session?: AgentSession
}
