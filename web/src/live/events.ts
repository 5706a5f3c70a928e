import { effect, signal } from '@preact/signals'
import { EVENT_TYPES } from '../../../src/ledger/event.ts'
import type { LedgerEvent } from '../api/answers.ts'
import { askWhoIsThere, latestEvent, signedIn, unanswered } from '../api/request.ts'
import { visible } from './visible.ts'

/** Events that arrive close together are delivered together, after this many milliseconds. */
const GATHER_MS = 200
/** How long to wait before reconnecting, in milliseconds. */
const AGAIN_MS = 2_000
/** Most events to catch up on after an absence. With more, all are skipped and everything is reloaded. */
const MOST_CAUGHT_UP = 2_000

/** The state of the event stream; `resting` while the page is hidden. */
export const connection = signal<'connecting' | 'live' | 'lost' | 'resting'>('connecting')

/** When the connection was lost, epoch milliseconds; undefined while connected. */
export const lostAt = signal<number | undefined>(undefined)

/** Called with new events; with undefined if there were so many that everything must be reloaded. */
type Listener = (events: readonly LedgerEvent[] | undefined) => void

const listeners = new Set<Listener>()
let last: number | undefined
let gathered: LedgerEvent[] = []

/** Calls back with events as they happen, without a gap. Returns the function that stops it. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

effect(() => {
  if (signedIn.value !== 'yes') return undefined
  if (!visible.value) {
    connection.value = 'resting'
    return undefined
  }
  return listen()
})

/** Decides where the stream starts: after the last event received, unless that was too long ago. */
function catchUp(): void {
  const known = latestEvent.peek() ?? 0
  const isAnother = last !== undefined && known < last
  const isFar = last !== undefined && known - last > MOST_CAUGHT_UP
  if (last !== undefined && !isAnother && !isFar) return
  const isGap = last !== undefined
  last = known
  // Too long ago, or another ledger: event numbers that went down belong to another file.
  if (isGap) for (const listener of listeners) listener(undefined)
}

/** Opens the stream after the last event received, so missed events come first. */
function listen(): () => void {
  let again: ReturnType<typeof setTimeout> | undefined
  let source: EventSource | undefined
  let isOver = false
  const open = () => {
    if (isOver) return
    source?.close()
    clearTimeout(again)
    catchUp()
    connection.value = 'connecting'
    source = new EventSource(`/v1/events/stream?after=${last}`)
    source.onopen = () => {
      connection.value = 'live'
      lostAt.value = undefined
    }
    source.onerror = lose
    for (const type of EVENT_TYPES) source.addEventListener(type, take)
  }
  const reopen = () => void askWhoIsThere().then(open, lose)
  const lose = () => {
    if (isOver) return
    connection.value = 'lost'
    lostAt.value ??= Date.now()
    source?.close()
    clearTimeout(again)
    // Ask first, because the daemon may be back and no longer accept this browser's session.
    again = setTimeout(reopen, AGAIN_MS)
  }
  if (last === undefined) open()
  else reopen()
  // A connection whose other end vanished silently looks alive; an unanswered request reveals it.
  const first = unanswered.peek()
  const stopWatching = unanswered.subscribe(count => {
    if (count !== first && connection.peek() === 'live') lose()
  })
  addEventListener('offline', lose)
  addEventListener('online', reopen)
  return () => {
    isOver = true
    removeEventListener('offline', lose)
    removeEventListener('online', reopen)
    stopWatching()
    clearTimeout(again)
    source?.close()
  }
}

function take({ data }: MessageEvent<string>): void {
  const event = JSON.parse(data) as LedgerEvent
  last = Math.max(last ?? 0, event.id)
  gathered.push(event)
  if (gathered.length > 1) return
  setTimeout(() => {
    const events = gathered
    gathered = []
    for (const listener of listeners) listener(events)
  }, GATHER_MS)
}
