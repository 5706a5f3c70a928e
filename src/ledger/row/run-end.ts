import type { EventType } from '../event.ts'
import type { EndingVerdict, Settled } from '../settlement.ts'
import type { DueReason } from './operation-row.ts'

/** What a verdict does to the row of its operation, and the event it writes. */
export interface RunEnd {
  type: EventType
  /** The data of the event. */
  told: Record<string, unknown>
  state: Extract<Settled, { settled: true }>['state']
  reason: string
  /** Present if it is scheduled again. */
  again?: {
    dueAt: number
    waiting: DueReason
    mode: string
    /** Number of retries to count. */
    retries: number
    snoozes: number
    snoozedMs: number
  }
  parkedFor?: string
  deadAs?: string
}

/** A cancel requested during a run, which its runner has not seen, must not get lost in a retry. */
export const CANCELLED_WHILE_RUNNING: EndingVerdict = {
  action: 'cancel',
  as: 'cancelled',
  reason: 'cancelled while running',
  rule: 'ledger:cancel_requested',
}

/** What follows from a verdict now. */
export function runEnd(verdict: EndingVerdict, now: number): RunEnd {
  const { reason, rule } = verdict
  switch (verdict.action) {
    case 'retry': {
      const dueAt = Math.round(now + verdict.delayMs)
      const again = {
        dueAt,
        waiting: 'retry' as const,
        mode: verdict.mode,
        retries: 1,
        snoozes: 0,
        snoozedMs: 0,
      }
      return { type: 'retrying', told: { due_at: dueAt, rule, reason }, state: 'scheduled', reason, again }
    }
    case 'snooze': {
      const dueAt = Math.round(verdict.until)
      const snoozedMs = Math.max(0, dueAt - now)
      const again = {
        dueAt,
        waiting: 'snooze' as const,
        mode: verdict.mode,
        retries: 0,
        snoozes: 1,
        snoozedMs,
      }
      return { type: 'snoozed', told: { due_at: dueAt, rule, reason }, state: 'scheduled', reason, again }
    }
    case 'park': {
      const told = { for: verdict.for, origin: verdict.origin ?? 'decision', rule, reason }
      return { type: 'parked', told, state: 'parked', reason, parkedFor: verdict.for }
    }
    case 'cancel':
      return {
        type: 'dead',
        told: { as: verdict.as, rule, reason },
        state: 'dead',
        reason,
        deadAs: verdict.as,
      }
  }
}
