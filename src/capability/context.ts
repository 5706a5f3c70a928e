import type { Failure } from '../failure/failure.ts'
import type { Verdict } from '../verdict/verdict.ts'

/** An earlier try of the same operation, as it was written down. Without a failure it succeeded. */
export interface PastAttempt {
  /** From 1 upward within the operation, over all its runs. */
  number: number
  /** Number of the run it was made in. */
  run: number
  /** Epoch milliseconds. */
  startedAt: number
  /** Epoch milliseconds. */
  endedAt: number
  /** Who served it. */
  provider?: string
  /** What went wrong. */
  failure?: Failure
  /** What was decided about it. */
  verdict?: Verdict
  /** US dollars, as far as known. */
  costUsd?: number
  /** The agent's session. */
  sessionId?: string
}

/** The session of a try that was cut, which the work is to continue instead of starting over. */
export interface ResumeFrom {
  /** Known to the CLI and provider that began it. */
  sessionId: string
  /** Folder that the session worked in. */
  cwd?: string
  /** What cut it. */
  failure?: Failure
}

/** What became known while the work runs, to be kept at once: it must survive a crash of the runner. */
export interface RunFacts {
  /** A session that a later try could continue. */
  sessionId?: string
  /** Folder that it works in. */
  cwd?: string
  /** US dollars that this try cost so far. */
  costUsd?: number
}

/** What the work is given for one try. */
export interface WorkContext {
  /** Aborted at the deadline of the try, on a cancel, and when the run is taken over by another runner. */
  readonly signal: AbortSignal
  /** Fencing token: number of this run, larger than that of every run before it. A receiver that remembers the largest one refuses late writers. */
  readonly run: number
  /** The same for all tries of an operation, so that a receiver can tell a second try from a second request. */
  readonly idempotencyKey: string
  /** Earlier tries of the operation, oldest first. */
  readonly attempts: readonly PastAttempt[]
  /** Number of this try within the operation, counted from 1. */
  readonly attempt: number
  /** Who is to serve this try; undefined without a provider or pool. */
  readonly provider: string | undefined
  /** Milliseconds that this try may take, Infinity without a limit. */
  readonly remainingMs: number
  /** Set if this try continues the session of an earlier one. */
  readonly resume: ResumeFrom | undefined
  /** Environment of the runner, which `env:NAME` refers to. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Tells what was spent; amounts add up. */
  charge(spent: { usd?: number; tokens?: number }): void
  /** From now on the work has taken effect: what fails after this is not tried again, also where it is `atomic`. */
  committed(): void
  /**
   * Shows what the provider says about its limits while it serves: headers, the end of a program, or the failure of a
   * limit that it got over.
   */
  observed(seen: unknown): void
  /** Keeps what became known. Given fields replace what was recorded before. */
  record(facts: RunFacts): void
  /**
   * Does a part of the work and remembers what it returned, so that another run of the same operation does not do it again
   * but gets what it returned: JSON, at most 1 MiB, without secrets. Each part of the work has a name of its own.
   */
  step<T>(id: string, work: () => T | Promise<T>, options?: WorkStepOptions): Promise<T>
}

/** What is known of a part of the work. */
export interface WorkStepOptions {
  /**
   * It is one request: a refusal proves that nothing happened, so that the work may run again also where it is not
   * repeatable. What other parts have done counts no more: it is remembered. Default false.
   */
  atomic?: boolean
}

/** What a verification is given: the same facts, and nothing to spend. */
export type VerifyContext = Pick<WorkContext, 'signal' | 'run' | 'idempotencyKey' | 'attempts' | 'env'>
