import { present } from '../failure/present.ts'
import type { Time } from '../time/time.ts'
import type { EventType, LedgerEvent } from './event.ts'
import type { Ledger, LedgerTransaction } from './ledger.ts'
import { Lookout } from './lookout.ts'
import { answerOf } from './writing.ts'

/** Writes what follows from some events, in the transaction that moves the cursor past them. May be called again. */
export type Projection = (writes: LedgerTransaction) => unknown

/** What a reader does with its events. */
export type EventUse =
  | {
      /** Name of the cursor. All processes that use this name share it. */
      consumer: string
      /**
       * Reads what it needs to know about these events, and returns the writes to make; `undefined` for none. Cursor
       * and writes change together, so each event is projected exactly once, even after a crash.
       */
      project: (
        events: readonly LedgerEvent[],
        signal: AbortSignal,
      ) => Projection | undefined | Promise<Projection | undefined>
      /** Called after a projection is written. Default: nothing. */
      projected?: () => unknown
    }
  | {
      /** Name of the cursor. All processes that use this name share it. Default none: the reader has its own, in memory. */
      consumer?: string
      /**
       * Acts on these events. With a cursor, the last events before a crash are passed again. A returned number is the
       * last event it has finished; otherwise it has finished all of them.
       */
      handle: (events: readonly LedgerEvent[], signal: AbortSignal) => unknown
    }

/** Which events to read, and what to do with them. */
export type EventReaderOptions = EventUse & {
  ledger: Pick<Ledger, 'events' | 'lastEvent' | 'cursor' | 'transaction' | 'onChange'>
  time: Time
  /** Called if reading or handling failed. The reader tries again after a while. */
  onError: (error: unknown) => void
  /** Only these types. Default all. */
  types?: readonly EventType[]
  /**
   * Where to start without a stored cursor: at the `beginning` of the stored events, `now`, or after the event with
   * this number. Default `now`.
   */
  from?: 'beginning' | 'now' | number
  /** Maximum number of events per call. Default 200. */
  batch?: number
  /** How long to wait after a change, in milliseconds, to read many events at once. Default 0. */
  gatherMs?: number
}

const BATCH_DEFAULT = 200
/**
 * How often to store a cursor that moves only past events of other types, in milliseconds. Old events are kept until it
 * moves.
 */
const REMEMBER_EVERY_MS = 60_000

/**
 * Reads the events that all processes write to a ledger, in order. It looks after every change; the ledger itself
 * checks now and then for changes that it missed.
 */
export class EventReader {
  readonly #options: EventReaderOptions
  readonly #lookout: Lookout
  /** All events up to this one have been read. Undefined before the first look. */
  #position: number | undefined
  /** Where the stored cursor was when it was last read or moved. */
  #cursor = 0
  #rememberedAt = Number.NEGATIVE_INFINITY
  /** The last event to read: other processes may keep writing forever. */
  #until = Infinity
  /** After a failure, events are passed one at a time, so that those before the failing one are handled. */
  #isCareful = false
  #stopListening: (() => void) | undefined

  constructor(options: EventReaderOptions) {
    this.#options = options
    const { time, onError, gatherMs } = options
    this.#lookout = new Lookout({
      time,
      onError,
      ...present({ gatherMs }),
      look: signal => this.#look(signal),
    })
  }

  /** The last event read; undefined before the reader has started. */
  get position(): number | undefined {
    return this.#position
  }

  /** Finds where to start, reads the existing events, and looks again after every change. */
  async start(): Promise<void> {
    await this.#begin()
    if (this.#lookout.isClosed) return
    this.#stopListening ??= this.#options.ledger.onChange(() => this.#lookout.soon())
    await this.#lookout.now()
  }

  /** Reads soon, because something changed. For callers with their own change listener. */
  soon(): void {
    this.#lookout.soon()
  }

  /** Reads the events there are now. Never rejects. */
  look(): Promise<void> {
    return this.#lookout.now()
  }

  /**
   * Stops reading. Resolves when the last events are handled.
   * @param rest whether to read everything that happened until now first. Default false.
   */
  async stop({ rest = false }: { rest?: boolean } = {}): Promise<void> {
    this.#stopListening?.()
    this.#stopListening = undefined
    if (rest) {
      // If this fails, reading fails with the same error and reports it.
      this.#until = await this.#options.ledger.lastEvent().catch(() => Infinity)
      await this.#lookout.now()
    }
    await this.#lookout.close()
  }

  async #begin(): Promise<number> {
    if (this.#position !== undefined) return this.#position
    const { ledger, consumer, from = 'now' } = this.#options
    const start = from === 'beginning' ? 0 : from === 'now' ? await ledger.lastEvent() : from
    if (consumer !== undefined) {
      this.#cursor = await ledger.cursor(consumer)
      if (this.#cursor === 0 && start > 0) await this.#moveCursor(start)
    }
    this.#position ??= consumer === undefined ? start : this.#cursor
    return this.#position
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { ledger, types } = this.#options
    for (let position = await this.#begin(); position < this.#until && !signal.aborted; ) {
      // Ask before reading: anything written in between is read next time.
      const last = await ledger.lastEvent()
      if (last <= position) return
      const limit = this.#isCareful ? 1 : (this.#options.batch ?? BATCH_DEFAULT)
      const events = await ledger.events({ after: position, limit, ...(types ? { types } : {}) })
      if (signal.aborted) return
      const isFull = events.length >= limit
      const done = events.length === 0 ? last : await this.#use(events, signal)
      const isAll = !isFull && done >= (events.at(-1)?.id ?? 0)
      if (done <= position && !isAll) return
      position = this.#position = isAll ? Math.max(done, last) : done
      if (isAll) return this.#remember(position)
    }
  }

  /**
   * Returns the position after the handled events; the previous one if another process handled them, or none were
   * handled.
   */
  async #use(events: readonly LedgerEvent[], signal: AbortSignal): Promise<number> {
    const options = this.#options
    const last = (events.at(-1) as LedgerEvent).id
    try {
      if ('project' in options) {
        const projection = await options.project(events, signal)
        const isWritten = await this.#moveCursor(last, projection)
        // Else another process has projected these events, also where ours was written and rolled back.
        if (projection && isWritten) await options.projected?.()
        this.#isCareful = false
        return Math.max(this.#cursor, this.#position as number)
      }
      const answer = await options.handle(events, signal)
      const done = typeof answer === 'number' ? answer : last
      await this.#moveCursor(done)
      this.#isCareful = false
      return done
    } catch (error) {
      this.#isCareful = true
      throw error
    }
  }

  /** Stores how far it has read when there was nothing to handle. */
  async #remember(position: number): Promise<void> {
    const { consumer, time } = this.#options
    if (consumer === undefined || position <= this.#cursor) return
    const now = time.monotonic()
    if (now - this.#rememberedAt < REMEMBER_EVERY_MS) return
    this.#rememberedAt = now
    await this.#moveCursor(position)
  }

  /**
   * Moves the stored cursor forward and writes the projection. Resolves with false, and writes nothing, if another process
   * has moved the cursor.
   */
  async #moveCursor(to: number, projection?: Projection): Promise<boolean> {
    const { ledger, consumer } = this.#options
    const from = this.#cursor
    if (consumer === undefined || to <= from) return false
    const isMoved = await ledger.transaction(function* (writes) {
      const moved = yield* answerOf(writes.moveCursor(consumer, from, to))
      if (moved && projection) yield* answerOf(projection(writes))
      return moved
    })
    this.#cursor = isMoved ? to : await ledger.cursor(consumer)
    return isMoved
  }
}
