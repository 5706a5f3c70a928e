import type { EventType } from '../event.ts'
import type { EndingVerdict, Settled, Settlement } from '../settlement.ts'
import type { DueReason } from './operation-row.ts'

/** What a verdict does to the row of its operation, and the event it writes. */
export interface RunEnd {
  type: EventType
  /** The data of the event. */
  told: Record<string, unknown>
  state: Extract<Settled, { settled: true }>['state']
  /** When it is due, if it is scheduled again. */
  dueAt?: number
  /** The columns that change, as SQL: $1 is now, and the values start at $7. */
  set: string
  values: readonly (string | number | null)[]
}

/** A cancel requested during a run, which its runner has not seen, must not get lost in a retry. */
export const CANCELLED_WHILE_RUNNING: EndingVerdict = {
  action: 'cancel',
  as: 'cancelled',
  reason: 'cancelled while running',
  rule: 'ledger:cancel_requested',
}

const AGAIN = `state = 'scheduled', since = $1, reason = $7, due_at = $8, waiting = $9, mode = $10,
  retries = retries + $11, waits = waits + $11, snoozes = snoozes + $12, snoozed_ms = snoozed_ms + $13`
const PARKED = `state = 'parked', since = $1, reason = $7, parked_for = $8`
const DEAD = `state = 'dead', since = $1, reason = $7, dead_as = $8, ended_at = $1`

/** What follows from a verdict now. */
export function runEnd(verdict: EndingVerdict, now: number): RunEnd {
  const { reason, rule } = verdict
  switch (verdict.action) {
    case 'retry': {
      const dueAt = Math.round(now + verdict.delayMs)
      const told = { due_at: dueAt, rule, reason }
      const values = [reason, dueAt, 'retry' satisfies DueReason, verdict.mode, 1, 0, 0]
      return { type: 'retrying', told, state: 'scheduled', dueAt, set: AGAIN, values }
    }
    case 'snooze': {
      const dueAt = Math.round(verdict.until)
      const told = { due_at: dueAt, rule, reason }
      const length = Math.max(0, dueAt - now)
      const values = [reason, dueAt, 'snooze' satisfies DueReason, verdict.mode, 0, 1, length]
      return { type: 'snoozed', told, state: 'scheduled', dueAt, set: AGAIN, values }
    }
    case 'park': {
      const told = { for: verdict.for, origin: verdict.origin ?? 'decision', rule, reason }
      return { type: 'parked', told, state: 'parked', set: PARKED, values: [reason, verdict.for] }
    }
    case 'cancel': {
      const told = { as: verdict.as, rule, reason }
      return { type: 'dead', told, state: 'dead', set: DEAD, values: [reason, verdict.as] }
    }
  }
}

/** A success with nothing else to record: the usual end, for which each database has a statement of its own. */
export function isPlain(
  settlement: Settlement,
): settlement is Extract<Settlement, { succeeded: true }> & { answered?: undefined } {
  const { attempt } = settlement
  return (
    settlement.succeeded === true &&
    settlement.answered === undefined &&
    attempt?.failure === undefined &&
    attempt?.verdict === undefined &&
    attempt?.sessionId === undefined &&
    attempt?.usage === undefined
  )
}

/**
 * How long a run took, and how long it was due before it began. Most begin at once, and then that is not written.
 * @param triedAt when its last try began: the ledger hears of another engine's run only at its end
 */
export function timesOf(
  { since, due_at: dueAt }: { since: number; due_at: number },
  now: number,
  triedAt: number | undefined,
): { duration_ms: number; waited_ms?: number } {
  const duration = { duration_ms: Math.max(0, now - Math.min(since, triedAt ?? since)) }
  return since > dueAt ? { ...duration, waited_ms: since - dueAt } : duration
}
