import type { Usage } from '../failure/cli/spending.ts'
import type { Failure } from '../failure/failure.ts'
import type { AuthReason } from './auth-reason.ts'
import type { AgentSession } from './request.ts'
import type { Worktree } from './worktree.ts'

/** What a run spent, whether it succeeded or not. Null if unknown: unknown is not nothing. */
export interface Spent {
  costUsd: number | null
  turns: number | null
  usage: Usage | null
  durationMs: number
}

/** Told with either end of a run. */
interface Told extends Spent {
  provider: string
  /** The model that served it, if the CLI names it. */
  model?: string
  /** The session, if there is one that could be continued. */
  session?: AgentSession
  /** The worktree that it ran in, which is left to the caller to keep or to discard. */
  worktree?: Worktree
  /** `meta` of the options, as given. */
  meta?: Readonly<Record<string, unknown>>
}

/** A run that answered. */
export interface AgentAnswer extends Told {
  ok: true
  text: string
  /** The answer as data, where a schema was asked for. */
  structured?: unknown
  sessionId: string | null
  /** A limit of its provider that it met on the way and got over: it holds for the next run. */
  throttle?: Failure
  /** Tools it requested that were not allowed; the answer may lack what they would have done. */
  deniedTools: readonly string[]
}

/** A run that did not. */
export interface AgentFailure extends Told {
  ok: false
  failure: Failure
  /** Why the login was refused, where it was. */
  authReason?: AuthReason
}

/** How a run of an agent ended. */
export type AgentOutcome = AgentAnswer | AgentFailure
