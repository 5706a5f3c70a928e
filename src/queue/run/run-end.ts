import type { ResumeFrom } from '../../capability/context.ts'
import type { Failure } from '../../failure/failure.ts'
import type { EndingVerdict, Settled } from '../../ledger/settlement.ts'

/** How a run ended. */
export type RunEnd =
  | { end: 'succeeded'; value: unknown }
  /** With the verdict that ended it; `cause` is what the work threw or returned. */
  | { end: 'settled'; verdict: EndingVerdict; settled: Settled; cause?: unknown }
  /** Released unfinished. */
  | { end: 'released'; dueAt: number; reason: string }
  /** Another runner has it, or it has ended: nothing more may be written. */
  | { end: 'lost' }
  /** The work was tried, and its outcome could not be stored: another run takes over when the lease ends. */
  | { end: 'unwritten' }

/** Where the next try of a run goes, and what it continues from. */
export interface NextTry {
  /** Providers tried in this run. */
  readonly tried: ReadonlySet<string>
  /** The only provider that may serve it. */
  readonly again?: string | undefined
  /** The session that it resumes. */
  readonly resume?: ResumeFrom | undefined
  /** The last failure of this run, and what it was classified from. */
  readonly last?: { failure: Failure; cause: unknown } | undefined
  /** Stored with the attempts of this run. */
  readonly note?: unknown
}

/** What a step of a run returns: the end of the run, or where it continues. */
export type Next = RunEnd | NextTry
