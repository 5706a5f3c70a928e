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
