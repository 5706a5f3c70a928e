import type { LedgerEvent } from '../../ledger/event.ts'
import { EventReader } from '../../ledger/event-reader.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Time } from '../../time/time.ts'

/** Events kept in memory for all streams. A stream that is further behind reads the ledger itself. */
const KEPT = 2_000
/** Most events that a stream gets at once. */
const PAGE = 200
/** How often an idle stream sends a sign of life, in milliseconds. */
export const HEARTBEAT_MS = 15_000

/** Collaborators of an {@link EventFeed}. */
export interface EventFeedDeps {
  ledger: Ledger
  time: Time
  /** Called when events cannot be read; reading is tried again later. */
  onError: (error: unknown) => void
}

/** A stream's place in the events. */
export interface EventFollower {
  /**
   * The next events, in order and without a gap. Empty if nothing happened within a heartbeat, or once it has ended.
   * Followers at the same place get the same list, so that what is made of it can be shared too.
   */
  next: () => Promise<readonly LedgerEvent[]>
}

/** Feeds any number of streams with events, reading the ledger once for all of them. */
export class EventFeed {
  readonly #deps: EventFeedDeps
  /** Wakes those that wait for an event. */
  readonly #waiting = new Set<() => void>()
  #started: Promise<void> | undefined
  #reader: EventReader | undefined
  /** All events after `#from`, up to the newest that was read. */
  #kept: LedgerEvent[] = []
  #from = 0
  /** Pages of the kept events by their position. */
  readonly #pages = new Map<number, readonly LedgerEvent[]>()
  #cancelBeat: (() => void) | undefined

  constructor(deps: EventFeedDeps) {
    this.#deps = deps
  }

  /** Number of streams that wait for an event. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Follows the events after a position, until the signal aborts. */
  follow(position: number, signal: AbortSignal): EventFollower {
    let at = position
    let wake = () => {}
    // One listener for the whole life of a stream: one for each wait of each stream would be most of what waiting costs.
    signal.addEventListener('abort', () => wake(), { once: true })
    const change = () =>
      new Promise<void>(resolve => {
        wake = () => {
          this.#waiting.delete(wake)
          resolve()
        }
        if (signal.aborted) resolve()
        else this.#wait(wake)
      })
    return {
      next: async () => {
        // A start that failed must not end every later stream.
        this.#started ??= this.#start().catch(error => {
          this.#started = undefined
          throw error
        })
        await this.#started
        if (!this.#has(at)) await change()
        if (signal.aborted || !this.#has(at)) return []
        const page = await this.#pageAfter(at)
        at = page.at(-1)?.id ?? at
        return page
      },
    }
  }

  /** Stops reading, and ends every wait. */
  async stop(): Promise<void> {
    this.#cancelBeat?.()
    this.#cancelBeat = undefined
    this.#wake()
    await this.#reader?.stop()
  }

  #has(position: number): boolean {
    return position < this.#from || position < (this.#kept.at(-1)?.id ?? 0)
  }

  async #start(): Promise<void> {
    const { ledger, time, onError } = this.#deps
    this.#from = await ledger.lastEvent()
    this.#kept = []
    this.#pages.clear()
    const reader = new EventReader({
      ledger,
      time,
      onError,
      from: this.#from,
      handle: events => this.#take(events),
    })
    await reader.start()
    this.#reader = reader
  }

  #pageAfter(position: number): readonly LedgerEvent[] | Promise<readonly LedgerEvent[]> {
    if (position < this.#from) return this.#deps.ledger.events({ after: position, limit: PAGE })
    const known = this.#pages.get(position)
    if (known) return known
    const index = this.#indexAfter(position)
    const page = this.#kept.slice(index, index + PAGE)
    this.#pages.set(position, page)
    return page
  }

  #take(events: readonly LedgerEvent[]): void {
    this.#kept.push(...events)
    this.#pages.clear()
    const surplus = this.#kept.length - KEPT
    // Trimmed only now and then, because moving thousands of entries per event would cost more than the event.
    if (surplus > KEPT / 2) {
      this.#from = (this.#kept[surplus - 1] as LedgerEvent).id
      this.#kept = this.#kept.slice(surplus)
    }
    this.#wake()
  }

  /** Calls the function on the next event, or after a heartbeat. */
  #wait(wake: () => void): void {
    this.#waiting.add(wake)
    this.#cancelBeat ??= this.#deps.time.after(HEARTBEAT_MS, () => {
      this.#cancelBeat = undefined
      this.#wake()
    })
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake()
  }

  /** Index of the first kept event after a position. */
  #indexAfter(position: number): number {
    let [low, high] = [0, this.#kept.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#kept[middle] as LedgerEvent).id > position) high = middle
      else low = middle + 1
    }
    return low
  }
}
