import type { Verdict } from '../verdict/verdict.ts'
import type { NewAttempt } from './attempt.ts'

/** Verdicts that end a run; failover is a further attempt of the same one. */
export type EndingVerdict = Exclude<Verdict, { action: 'failover' }>

/** How a run ended, with the attempt it ended by, if there was one. */
export type Settlement =
  | {
      succeeded: true
      result?: unknown
      /** The result stands for one that is too large. Default false. */
      resultCut?: boolean
      attempt?: NewAttempt
      /** Who said that it succeeded, if not its work; and why. */
      answered?: { by: string; reason?: string }
    }
  | { succeeded?: false; verdict: EndingVerdict; attempt?: NewAttempt }

/** What a fenced write did. `stale` changed nothing: the run is not the operation's last, or it has ended. */
export type Settled =
  | { settled: true; event: number; state: 'scheduled' | 'parked' | 'succeeded' | 'dead'; dueAt?: number }
  | Stale

/** Another runner has the operation now, or it has ended. Nothing was changed. */
export interface Stale {
  settled: false
  stale: true
  /** Number of the operation's last run; 0 if there is no such operation. */
  run: number
}
