import type { Attempt, LedgerEvent } from '../api/answers.ts'

/** A period of an operation's life: a run, or a wait. */
export interface Segment {
  what: 'queued' | 'retry' | 'snooze' | 'parked' | 'held' | 'run'
  /** Epoch milliseconds. */
  from: number
  to: number
  /** It has not ended yet. */
  isOpen: boolean
  /** Class of the failure that caused it or ended it. */
  class?: string
  run?: number
  attempts: Attempt[]
  reason?: string
}

const WAITS: Readonly<Record<string, Segment['what']>> = {
  submitted: 'queued',
  retrying: 'retry',
  snoozed: 'snooze',
  parked: 'parked',
  handed_back: 'queued',
  held: 'held',
  freed: 'queued',
  unparked: 'queued',
  revived: 'queued',
}

/** The life of an operation as periods without gaps, from its events. */
export function segmentsOf(
  events: readonly LedgerEvent[],
  attempts: readonly Attempt[],
  now: number,
): Segment[] {
  const segments: Segment[] = []
  let open: Segment | undefined
  const close = (at: number) => {
    if (!open) return
    open.to = Math.max(open.from, at)
    // A wait that took no time gets no row; a run always does.
    if (open.what === 'run' || open.to > open.from) segments.push(open)
    open = undefined
  }
  for (const { type, at: when, run, data } of events) {
    const at = Date.parse(when)
    const wait = WAITS[type]
    const cls = typeof data?.class === 'string' ? data.class : undefined
    if (open?.what === 'run' && cls) open.class = cls
    if (wait || type === 'claimed' || type === 'taken_over') {
      close(at)
      const reason = typeof data?.reason === 'string' ? data.reason : undefined
      open = {
        what: wait ?? 'run',
        from: at,
        to: at,
        isOpen: false,
        attempts: wait ? [] : attempts.filter(attempt => attempt.run === run),
        ...(wait && cls ? { class: cls } : {}),
        ...(run === undefined ? {} : { run }),
        ...(reason === undefined ? {} : { reason }),
      }
    } else if (type === 'succeeded' || type === 'dead' || type === 'discarded') close(at)
  }
  if (open) {
    open.isOpen = true
    close(Math.max(now, open.from + 1))
  }
  return segments
}

/** The width of each period, as a share of 1. Grows much more slowly than the length. */
export function widthsOf(lengths: readonly number[]): number[] {
  const weights = lengths.map(ms => Math.max(1, ms) ** 0.35)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map(weight => weight / total)
}
