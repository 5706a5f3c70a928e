import type { CancelReason, Mode, ParkReason, Verdict } from '../../verdict/verdict.ts'

/** What the engine does with a job after a try, in terms that fit every engine. */
export type JobOutcome =
  /** The job succeeded; the value is its result. */
  | { outcome: 'done'; value: unknown }
  | {
      outcome: 'retry'
      /** Milliseconds from now until the next try. */
      afterMs: number
      mode: Mode
      /** Uses up none of the engine's attempts: a failover, or the worker was stopped. Default false. */
      isFree?: boolean
      reason: string
    }
  | {
      outcome: 'snooze'
      /** When the next try is due, epoch milliseconds. It uses up no attempt. */
      until: number
      mode: Mode
      reason: string
    }
  | {
      outcome: 'park'
      for: ParkReason
      /**
       * Set if the ledger keeps it: a connected worker makes it due when its cause is gone, until then (epoch
       * milliseconds) the engine delays it. Default: a person retries the job by hand in the engine's own way.
       */
      until?: number
      reason: string
    }
  /** The job ended without success, for good. */
  | { outcome: 'cancel'; as: CancelReason; reason: string }

/** What the engine does with a job that did not succeed. */
export type UnfinishedOutcome = Exclude<JobOutcome, { outcome: 'done' }>

/** The outcome for a verdict. A failover becomes an immediate retry that uses up no attempt. */
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

/** Whether the job does not run again on its own after this outcome. */
export function isFinal(outcome: JobOutcome): boolean {
  if (outcome.outcome === 'park') return outcome.until === undefined
  return outcome.outcome !== 'retry' && outcome.outcome !== 'snooze'
}

/** One line for the engine's list of jobs: the outcome and its reason. */
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
