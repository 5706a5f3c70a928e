import type { LedgerEvent } from '../../ledger/event.ts'
import { EventReader } from '../../ledger/event-reader.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Time } from '../../time/time.ts'

/** Events that are kept for all streams; one that is further behind reads the ledger itself. */
const KEPT = 2_000
/** Events that a stream that is behind reads at once. */
const PAGE = 200
/** How often a stream with nothing to say shows that it is alive, in milliseconds. */
export const HEARTBEAT_MS = 15_000

/** What a feed reads from. */
export interface EventFeedDeps {
  ledger: Ledger
  time: Time
  /** Told when events cannot be read; they are tried again after a while. */
  onError: (error: unknown) => void
}

/** Events for any number of streams, with one look at the ledger for all of them. */
export class EventFeed {
  readonly #deps: EventFeedDeps
  readonly #waiting = new Set<() => void>()
  #started: Promise<void> | undefined
  #reader: EventReader | undefined
  /** All events behind `#from`, up to the newest that was read. */
  #kept: LedgerEvent[] = []
  #from = 0
  #cancelBeat: (() => void) | undefined

  constructor(deps: EventFeedDeps) {
    this.#deps = deps
  }

  /** Streams that wait for something to happen. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * The next events behind a position, in their order, without a gap. None if nothing happened for the length of a
   * heartbeat, or on abort.
   */
  async after(position: number, signal: AbortSignal): Promise<readonly LedgerEvent[]> {
    this.#started ??= this.#start()
    await this.#started
    if (!this.#has(position)) await this.#change(signal)
    if (signal.aborted || !this.#has(position)) return []
    if (position >= this.#from)
      return this.#kept.slice(this.#indexAfter(position), this.#indexAfter(position) + PAGE)
    const events = await this.#deps.ledger.events({ after: position, limit: PAGE })
    return events
  }

  /** Reads no more, and ends every wait. */
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
    // Trimmed now and then: moving thousands for each event would cost more than the event.
    if (surplus > KEPT / 2) {
      this.#from = (this.#kept[surplus - 1] as LedgerEvent).id
      this.#kept = this.#kept.slice(surplus)
    }
    this.#wake()
  }

  /** Resolves when something happened, after a heartbeat, or on abort. */
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

  /** Index of the first kept event behind a position. */
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
