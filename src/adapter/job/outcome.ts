import type { CancelReason, Mode, ParkReason, Verdict } from '../../verdict/verdict.ts'

/** What an engine does with a job after a try, in words that every engine has or can be given. */
export type JobOutcome =
  /** It succeeded; the value is its result. */
  | { outcome: 'done'; value: unknown }
  | {
      outcome: 'retry'
      /** Milliseconds from now until the next try. */
      afterMs: number
      mode: Mode
      /** It uses up none of the engine's attempts: another provider is tried, or the worker was stopped. Default false. */
      isFree?: boolean
      reason: string
    }
  | {
      outcome: 'snooze'
      /** Epoch milliseconds of the next try, which uses up no attempt. */
      until: number
      mode: Mode
      reason: string
    }
  /** A person has to do something first; then the job is retried by hand, in the engine's own way. */
  | { outcome: 'park'; for: ParkReason; reason: string }
  /** It ended without success, for good. */
  | { outcome: 'cancel'; as: CancelReason; reason: string }

/** What an engine does with a job that did not succeed. */
export type UnfinishedOutcome = Exclude<JobOutcome, { outcome: 'done' }>

/** What an engine does with a job about which this was decided. A failover is a further try at once that uses up no attempt. */
export function toOutcome(verdict: Verdict): UnfinishedOutcome {
  const { reason } = verdict
  switch (verdict.action) {
    case 'retry':
      return { outcome: 'retry', afterMs: verdict.delayMs, mode: verdict.mode, reason }
    case 'failover':
      return { outcome: 'retry', afterMs: 0, mode: 'again', isFree: true, reason }
    case 'snooze':
      return { outcome: 'snooze', until: verdict.until, mode: verdict.mode, reason }
    case 'park':
      return { outcome: 'park', for: verdict.for, reason }
    case 'cancel':
      return { outcome: 'cancel', as: verdict.as, reason }
  }
}

/** True for an outcome after which the job is not run again by itself. */
export function isFinal(outcome: JobOutcome): boolean {
  return outcome.outcome !== 'retry' && outcome.outcome !== 'snooze'
}

/** One line for the engine's own list of jobs: what became of it, and why. */
export function outcomeInWords(outcome: UnfinishedOutcome): string {
  switch (outcome.outcome) {
    case 'park':
      return `waits for a person (${outcome.for}): ${outcome.reason}`
    case 'cancel':
      return `cancelled (${outcome.as}): ${outcome.reason}`
    default:
      return outcome.reason
  }
}
