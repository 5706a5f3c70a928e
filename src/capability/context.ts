import type { Failure } from '../failure/failure.ts'
import type { TokenUsage } from '../failure/stream/usage.ts'
import type { Verdict } from '../verdict/verdict.ts'

/** The record of an earlier try of the same operation. Without a failure, it succeeded. */
export interface PastAttempt {
  /** Counted from 1 within the operation, over all its runs. */
  number: number
  /** Number of the run it was made in. */
  run: number
  /** Epoch milliseconds. */
  startedAt: number
  /** Epoch milliseconds. */
  endedAt: number
  /** The provider that served it. */
  provider?: string
  /** What went wrong. */
  failure?: Failure
  /** What was decided about it. */
  verdict?: Verdict
  /** US dollars, if known. */
  costUsd?: number
  /** The agent's session. */
  sessionId?: string
}

/** The session of an interrupted try, which the work must resume instead of starting over. */
export interface ResumeFrom {
  /** Known to the CLI and provider that began it. */
  sessionId: string
  /** Folder that the session worked in. */
  cwd?: string
  /** What interrupted it. */
  failure?: Failure
  /** What its tries have cost so far, in US dollars; absent if unknown. */
  costUsd?: number
}

/** What became known while the work runs. Stored at once, because it must survive a crash of the runner. */
export interface RunFacts {
  /** A session that a later try could resume. */
  sessionId?: string
  /** Folder that it works in. */
  cwd?: string
  /** US dollars that this try has cost so far. */
  costUsd?: number
  /** Tokens that this try has used so far. What a returned answer says of itself is read anyway. */
  usage?: TokenUsage
  /** The model that it asks. */
  model?: string
}

/** What the work gets for one try. */
export interface WorkContext {
  /** Aborted at the deadline of the try, on cancel, and when another runner takes over the run. */
  readonly signal: AbortSignal
  /**
   * Fencing token: the number of this run, larger than that of every earlier run. A receiver that remembers the largest one can
   * refuse late writers.
   */
  readonly run: number
  /** The same for all tries of an operation, so a receiver can tell a second try from a second request. */
  readonly idempotencyKey: string
  /** Earlier tries of the operation, oldest first. */
  readonly attempts: readonly PastAttempt[]
  /** Number of this try within the operation, counted from 1. */
  readonly attempt: number
  /** The provider for this try; undefined without a provider or pool. */
  readonly provider: string | undefined
  /** Milliseconds that this try may take; Infinity without a limit. */
  readonly remainingMs: number
  /** Set if this try resumes the session of an earlier one. */
  readonly resume: ResumeFrom | undefined
  /** The runner's environment, which `env:NAME` refers to. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Reports spending; amounts add up. */
  charge(spent: { usd?: number; tokens?: number }): void
  /** Reports that the work has taken effect: a later failure is not retried, even if the work is `atomic`. */
  committed(): void
  /**
   * Reports what the provider says about its limits while it serves: headers, the result of a program, or the failure of a limit
   * that it got over.
   */
  observed(seen: unknown): void
  /** Stores what became known. Given fields replace earlier ones. */
  record(facts: RunFacts): void
  /**
   * Does part of the work and remembers its result, so another run of the same operation gets the result instead of doing it
   * again. The result must be JSON of at most 1 MiB, without secrets. Each part needs a unique id.
   */
  step<T>(id: string, work: () => T | Promise<T>, options?: WorkStepOptions): Promise<T>
}

/** What is known about a part of the work. */
export interface WorkStepOptions {
  /**
   * True if it is a single request: a refusal then proves that nothing happened, so the work may run again even if it is not
   * repeatable. Parts that are already done do not matter, because they are remembered. Default false.
   */
  atomic?: boolean
}

/** What a verification gets: the same facts, but nothing to spend. */
export type VerifyContext = Pick<WorkContext, 'signal' | 'run' | 'idempotencyKey' | 'attempts' | 'env'>
