import { effect, signal } from '@preact/signals'
import { EVENT_TYPES } from '../../../src/ledger/event.ts'
import type { LedgerEvent } from '../api/answers.ts'
import { askWhoIsThere, signedIn, unanswered } from '../api/request.ts'
import { visible } from './visible.ts'

/** Events that come close together are told together, after this many milliseconds. */
const GATHER_MS = 200
/** How long to wait before a connection that was lost is tried again, in milliseconds. */
const AGAIN_MS = 2_000

/** How this page hears of what happens; `resting` while nobody looks at it. */
export const connection = signal<'connecting' | 'live' | 'lost' | 'resting'>('connecting')

type Listener = (events: readonly LedgerEvent[]) => void

const listeners = new Set<Listener>()
let last: number | undefined
let gathered: LedgerEvent[] = []

/** Calls back with what happened, as it happens and without a gap. Returns the function that ends it. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Where to begin: the last event that the first answer knows of. */
export function beginAfter(event: number): void {
  last ??= event
}

effect(() => {
  if (signedIn.value !== 'yes') return undefined
  if (!visible.value) {
    connection.value = 'resting'
    return undefined
  }
  return listen()
})

/** Opens the stream behind the last event that was heard: what happened meanwhile comes first. */
function listen(): () => void {
  let again: ReturnType<typeof setTimeout> | undefined
  let source: EventSource | undefined
  const open = () => {
    source?.close()
    clearTimeout(again)
    connection.value = 'connecting'
    source = new EventSource(`/v1/events/stream${last === undefined ? '' : `?after=${last}`}`)
    source.onopen = () => {
      connection.value = 'live'
    }
    source.onerror = lose
    for (const type of EVENT_TYPES) source.addEventListener(type, take)
  }
  const lose = () => {
    connection.value = 'lost'
    source?.close()
    clearTimeout(again)
    again = setTimeout(() => {
      // It may be that the daemon is back and knows this browser no more.
      askWhoIsThere().then(open, lose)
    }, AGAIN_MS)
  }
  open()
  // A connection whose other end is gone without a word looks alive; a request that nothing answers shows it.
  const first = unanswered.peek()
  const stopWatching = unanswered.subscribe(count => {
    if (count !== first && connection.peek() === 'live') lose()
  })
  addEventListener('offline', lose)
  addEventListener('online', open)
  return () => {
    removeEventListener('offline', lose)
    removeEventListener('online', open)
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
