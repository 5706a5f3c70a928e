import type { Verdict } from '../verdict/verdict.ts'
import type { NewAttempt } from './attempt.ts'

/** Verdicts that end a run. A failover does not: it is another attempt of the same run. */
export type EndingVerdict = Exclude<Verdict, { action: 'failover' }>

/** How a run ended, with its last attempt, if there was one. */
export type Settlement =
  | {
      succeeded: true
      result?: unknown
      /** True if the result is a placeholder for one that is too large. Default false. */
      resultCut?: boolean
      attempt?: NewAttempt
      /** Who declared it succeeded, if not its work; and why. */
      answered?: { by: string; reason?: string }
    }
  | { succeeded?: false; verdict: EndingVerdict; attempt?: NewAttempt }

/** The result of a fenced write. `stale` changed nothing: the run is not the operation's last, or it has ended. */
export type Settled =
  | { settled: true; event: number; state: 'scheduled' | 'parked' | 'succeeded' | 'dead'; dueAt?: number }
  | Stale

/** Another runner has the operation now, or it has ended. Nothing changed. */
export interface Stale {
  settled: false
  stale: true
  /** Number of the operation's last run; 0 if the operation does not exist. */
  run: number
}
