import type { Usage } from '../failure/cli/spending.ts'
import type { AgentOptions } from './options.ts'
import type { Worktree } from './worktree.ts'

/** A session of an agent CLI, and where it lives: it can only be continued by its provider, in its folder. */
export interface AgentSession {
  provider: string
  id: string
  /** The folder that the run worked in. */
  cwd: string
  /** What the session has cost so far, over all its runs; null if unknown. */
  totalUsd: number | null
  /** Tokens that it has used so far, over all its runs. */
  totalUsage: Usage | null
  /** How often it has been continued. */
  depth: number
  /** The model or a tool did something in it, as far as anybody saw. Default true. */
  hasWorked?: boolean
  /** The worktree that it works in, if it has one of its own. */
  worktree?: Worktree
}

/** One run of an agent. */
export interface AgentRequest {
  prompt: string
  /** Between the defaults of the provider and what it pins. */
  options?: AgentOptions
  /** The session that this run continues. */
  session?: AgentSession
}
