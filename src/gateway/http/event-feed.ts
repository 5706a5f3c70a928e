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

/** Feeds any number of streams with events, reading the ledger once for all of them. */
export class EventFeed {
  readonly #deps: EventFeedDeps
  readonly #waiting = new Set<() => void>()
  #started: Promise<void> | undefined
  #reader: EventReader | undefined
  /** All events after `#from`, up to the newest that was read. */
  #kept: LedgerEvent[] = []
  #from = 0
  #cancelBeat: (() => void) | undefined

  constructor(deps: EventFeedDeps) {
    this.#deps = deps
  }

  /** Number of streams that wait for an event. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * The next events after a position, in order and without a gap. Empty if nothing happened within a heartbeat, or on
   * abort.
   */
  async after(position: number, signal: AbortSignal): Promise<readonly LedgerEvent[]> {
    this.#started ??= this.#start()
    await this.#started
    if (!this.#has(position)) await this.#change(signal)
    if (signal.aborted || !this.#has(position)) return []
    if (position >= this.#from)
      return this.#kept.slice(this.#indexAfter(position), this.#indexAfter(position) + PAGE)
    return this.#deps.ledger.events({ after: position, limit: PAGE })
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
    this.#reader = new EventReader({
      ledger,
      time,
      onError,
      from: this.#from,
      handle: events => this.#take(events),
    })
    await this.#reader.start()
  }

  #take(events: readonly LedgerEvent[]): void {
    this.#kept.push(...events)
    const surplus = this.#kept.length - KEPT
    // Trimmed only now and then, because moving thousands of entries per event would cost more than the event.
    if (surplus > KEPT / 2) {
      this.#from = (this.#kept[surplus - 1] as LedgerEvent).id
      this.#kept = this.#kept.slice(surplus)
    }
    this.#wake()
  }

  /** Resolves on the next event, after a heartbeat, or on abort. */
  #change(signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const wake = () => {
        this.#waiting.delete(wake)
        signal.removeEventListener('abort', wake)
        resolve()
      }
      if (signal.aborted) return resolve()
      this.#waiting.add(wake)
      signal.addEventListener('abort', wake, { once: true })
      this.#cancelBeat ??= this.#deps.time.after(HEARTBEAT_MS, () => {
        this.#cancelBeat = undefined
        this.#wake()
      })
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
