import type { Time } from '../time/time.ts'
import type { EventType, LedgerEvent } from './event.ts'
import type { Ledger, LedgerTransaction, MaybePromise } from './ledger.ts'
import { Lookout } from './lookout.ts'
import { whenThere } from './maybe-promise.ts'

/** Writes what is made of some events, in the transaction that moves the cursor past them. It may be called again. */
export type Projection = (writes: LedgerTransaction) => MaybePromise<unknown>

/** What a reader does with the events that it reads. */
export type EventUse =
  | {
      /** Name of the cursor, which all processes of this name share. */
      consumer: string
      /**
       * Reads what it needs to know about these events, and gives what is to be written. Cursor and writes change
       * together: whatever dies when, each event is projected once. Nothing has to be written for `undefined`.
       */
      project: (events: readonly LedgerEvent[], signal: AbortSignal) => MaybePromise<Projection | undefined>
      /** Called once what was projected is written. Default nothing. */
      projected?: () => MaybePromise<unknown>
    }
  | {
      /** Name of the cursor, which all processes of this name share. Default none: this reader's own, in memory. */
      consumer?: string
      /**
       * Acts on these events. With a cursor, the last ones before a crash are seen again. If it answers with a number, that
       * is the last event that it is done with; else it is done with all of them.
       */
      handle: (events: readonly LedgerEvent[], signal: AbortSignal) => MaybePromise<unknown>
    }

/** Which events are read, and what is done with them. */
export type EventReaderOptions = EventUse & {
  ledger: Pick<Ledger, 'events' | 'lastEvent' | 'cursor' | 'transaction' | 'onChange'>
  time: Time
  /** Told when reading, or what is done with it, failed: it is tried again after a while. */
  onError: (error: unknown) => void
  /** Only these types. Default all. */
  types?: readonly EventType[]
  /**
   * Where one begins that has no cursor yet: at the `beginning` of what is kept, `now`, or behind the event with this
   * number. Default `now`.
   */
  from?: 'beginning' | 'now' | number
  /** Events that are given at once, at most. Default 200. */
  batch?: number
  /** How long to wait after a change, so that many are read at once, in milliseconds. Default 0. */
  gatherMs?: number
}

const BATCH_DEFAULT = 200
/** A cursor that passes only what nobody asked for is written this often, in milliseconds: old events wait for it. */
const REMEMBER_EVERY_MS = 60_000

/**
 * Reads the events of a ledger, those of all processes, and never one before the one before it. It looks after every change;
 * the ledger itself looks now and then for changes that it was not told of.
 */
export class EventReader {
  readonly #options: EventReaderOptions
  readonly #lookout: Lookout
  /** Everything up to here has been read. Undefined before the first look. */
  #position: number | undefined
  /** Where the durable cursor was when it was last read or moved. */
  #cursor = 0
  #rememberedAt = Number.NEGATIVE_INFINITY
  /** The last event to be read: other processes may keep writing for ever. */
  #until = Infinity
  /** After a failure events are given one at a time, so that those before the one that fails are done. */
  #isCareful = false
  #stopListening: (() => void) | undefined

  constructor(options: EventReaderOptions) {
    this.#options = options
    const { time, onError, gatherMs } = options
    this.#lookout = new Lookout({
      time,
      onError,
      ...(gatherMs === undefined ? {} : { gatherMs }),
      look: signal => this.#look(signal),
    })
  }

  /** Up to where it has read; undefined before it has begun. */
  get position(): number | undefined {
    return this.#position
  }

  /** Finds out where to begin, reads what is there, and looks again after every change. */
  async start(): Promise<void> {
    await this.#begin()
    if (this.#lookout.isClosed) return
    this.#stopListening ??= this.#options.ledger.onChange(() => this.#lookout.soon())
    await this.#lookout.now()
  }

  /** Something changed: reads soon. For those who listen themselves. */
  soon(): void {
    this.#lookout.soon()
  }

  /** Reads what there is now. Never rejects. */
  look(): Promise<void> {
    return this.#lookout.now()
  }

  /**
   * Reads no more. Settles when what is done with the last events is done.
   * @param rest whether what has happened until now is read first. Default false.
   */
  async stop({ rest = false }: { rest?: boolean } = {}): Promise<void> {
    this.#stopListening?.()
    this.#stopListening = undefined
    if (rest) {
      // If it cannot be asked, reading meets the same error and reports it.
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
      // Asked first: what is written in between is read the next time.
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

  /** Gives the position behind what was done; the one before if another process did it, or nothing was. */
  async #use(events: readonly LedgerEvent[], signal: AbortSignal): Promise<number> {
    const options = this.#options
    const last = (events.at(-1) as LedgerEvent).id
    try {
      if ('project' in options) {
        const projection = await options.project(events, signal)
        await this.#moveCursor(last, projection)
        if (projection) await options.projected?.()
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

  /** Writes down how far it has read where nothing had to be done. */
  async #remember(position: number): Promise<void> {
    const { consumer, time } = this.#options
    if (consumer === undefined || position <= this.#cursor) return
    const now = time.monotonic()
    if (now - this.#rememberedAt < REMEMBER_EVERY_MS) return
    this.#rememberedAt = now
    await this.#moveCursor(position)
  }

  /** Moves the durable cursor forward, with what is to be written; if another process has moved it, nothing is written. */
  async #moveCursor(to: number, projection?: Projection): Promise<void> {
    const { ledger, consumer } = this.#options
    const from = this.#cursor
    if (consumer === undefined || to <= from) return
    const isMoved = await ledger.transaction(writes =>
      whenThere(writes.moveCursor(consumer, from, to), moved =>
        moved && projection ? whenThere(projection(writes), () => true) : moved,
      ),
    )
    this.#cursor = isMoved ? to : await ledger.cursor(consumer)
  }
}
