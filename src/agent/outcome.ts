import type { Usage } from '../failure/cli/spending.ts'
import type { Failure } from '../failure/failure.ts'
import type { AgentSession } from './request.ts'
import type { AuthReason } from './typed-kind.ts'
import type { Worktree } from './worktree.ts'

/** What a run spent, successful or not. Null means unknown, not zero. */
export interface Spent {
  costUsd: number | null
  turns: number | null
  usage: Usage | null
  durationMs: number
}

/** Reported for every run. */
interface RunReport extends Spent {
  provider: string
  /** The model that served it, if the CLI names it. */
  model?: string
  /** The session, if there is one that could be resumed. */
  session?: AgentSession
  /** The worktree it ran in. The caller decides whether to keep or discard it. */
  worktree?: Worktree
  /** `meta` of the options, unchanged. */
  meta?: Readonly<Record<string, unknown>>
}

/** A run that answered. */
export interface AgentAnswer extends RunReport {
  ok: true
  text: string
  /** The answer as data, if a schema was given. */
  structured?: unknown
  sessionId: string | null
  /** A limit of its provider that it hit on the way and got over. It applies to the next run. */
  throttle?: Failure
  /** Tools it requested that were not allowed; the answer may lack what they would have done. */
  deniedTools: readonly string[]
}

/** A run that failed. */
export interface AgentFailure extends RunReport {
  ok: false
  failure: Failure
  /** Why the login was refused, if it was. */
  authReason?: AuthReason
}

/** How an agent run ended. */
export type AgentOutcome = AgentAnswer | AgentFailure
