import type { Failure } from '../failure/failure.ts'
import type { Spending } from './attempt/tally.ts'

/** What the work gets for one try. */
export interface CallContext<P extends string | undefined = string | undefined> {
  /** Aborted when the try ends before the work does: by its deadline, the budget, the caller, or the cost limit. */
  readonly signal: AbortSignal
  /** The provider for this try: typed by `pool` or `provider` if those are literals; undefined without both. */
  readonly provider: P
  /** The model to ask for: the one for this provider, else the call's; undefined without both. */
  readonly model: string | undefined
  /** Counted from 1. */
  readonly attempt: number
  /** Milliseconds left of the budget; Infinity without one. */
  readonly remainingMs: number
  /** The session that this try continues, and the failure before it; undefined for a try from the start. */
  readonly resume: Resume | undefined
  /** Reports spending; amounts add up over all tries. */
  charge(spent: Spending): void
  /**
   * Reports what the provider says about its limits while it serves: a response or its headers, an event of an agent CLI, the
   * result of a program, or the failure of a limit that it got over. What the work returns is read anyway.
   */
  observed(seen: unknown): void
  /** Reports that output was delivered: from now on a second try would deliver it twice. */
  committed(): void
}

/** The session of a failed try, for the next one to continue. */
export interface Resume {
  readonly sessionId: string
  readonly failure: Failure
}

/** The given provider names; if the compiler does not know them, any name or none. */
export type ProviderOf<P extends string> = string extends P ? string | undefined : P

/** The work of a call. */
export type CallFunction<T, P extends string | undefined = string | undefined> = (
  context: CallContext<P>,
) => T | Promise<T>
