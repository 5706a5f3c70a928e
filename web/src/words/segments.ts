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

const CLOSES: Readonly<Record<string, true>> = { provider_blocked: true, paused: true }
const OPENS: Readonly<Record<string, true>> = { provider_freed: true, resumed: true }

/**
 * The life of an operation as periods without gaps, from its events and those of its providers.
 * @param isHeld whether a provider holds it now; events do not tell of one that was closed before it was submitted
 */
export function segmentsOf(
  events: readonly LedgerEvent[],
  providers: readonly string[],
  attempts: readonly Attempt[],
  now: number,
  isHeld = false,
): Segment[] {
  const segments: Segment[] = []
  const closed = new Set<string>()
  let open: Segment | undefined
  let closedAt = 0
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
    if (type in CLOSES || type in OPENS) {
      const isFree = type in OPENS
      if (isFree) closed.delete(String(data?.provider))
      else {
        closed.add(String(data?.provider))
        closedAt = at
      }
      if (!open || open.what === 'run') continue
      // Its only provider was closed before it began to wait.
      if (isFree && providers.length === 1) open.what = 'held'
      const isClosed = providers.every(id => closed.has(id))
      if (isClosed === (open.what === 'held')) continue
      close(at)
      open = { what: isClosed ? 'held' : 'queued', from: at, to: at, isOpen: false, attempts: [] }
      continue
    }
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
    if (isHeld && open.what === 'queued') {
      // At the latest since the last of its providers was closed.
      if (closedAt > open.from) {
        close(closedAt)
        open = { what: 'held', from: closedAt, to: closedAt, isOpen: false, attempts: [] }
      } else open.what = 'held'
    }
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
