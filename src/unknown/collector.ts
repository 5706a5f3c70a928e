import type { EventType, LedgerEvent } from '../ledger/event.ts'
import { EventReader, type Projection } from '../ledger/event-reader.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { inOrder } from '../ledger/maybe-promise.ts'
import type { Time } from '../time/time.ts'
import { sightingOf } from './sighting.ts'

/** Name of the cursor up to which all processes together have collected. */
const CONSUMER = 'unknown'
/** What ends a try of an operation that may have failed in a way that nobody knows. */
const TYPES: readonly EventType[] = ['parked', 'attempted', 'handed_back']
/** How long to wait after a change, so that many are collected at once, in milliseconds. */
const GATHER_MS = 250

/** What a collector works with. */
export interface CollectorDeps {
  ledger: Ledger
  time: Time
  /** Told of what went wrong; it tries again after a while. */
  onError: (error: unknown) => void
}

/** Collects unknowns, each once, however many processes do. */
export class UnknownCollector {
  readonly #ledger: Ledger
  readonly #reader: EventReader
  #collected = 0
  /** Written by the last transaction, if that is through. */
  #written = 0

  constructor({ ledger, time, onError }: CollectorDeps) {
    this.#ledger = ledger
    this.#reader = new EventReader({
      ledger,
      time,
      onError,
      consumer: CONSUMER,
      types: TYPES,
      from: 'beginning',
      gatherMs: GATHER_MS,
      project: events => this.#project(events),
    })
  }

  /** How many it has counted. */
  get collected(): number {
    return this.#collected + this.#written
  }

  /** Collects what there is, then more as it comes, until it is closed. */
  start(): Promise<void> {
    return this.#reader.start()
  }

  /** Collects what there is now. Never rejects. */
  look(): Promise<void> {
    return this.#reader.look()
  }

  /** Collects nothing more. Settles when what is being written is. */
  close(): Promise<void> {
    return this.#reader.stop()
  }

  async #project(events: readonly LedgerEvent[]): Promise<Projection | undefined> {
    this.#collected += this.#written
    this.#written = 0
    const sightings = (await Promise.all(events.map(event => sightingOf(this.#ledger, event)))).flat()
    if (sightings.length === 0) return undefined
    return writes => {
      this.#written = sightings.length
      return inOrder(sightings, sighting => writes.recordUnknown(sighting))
    }
  }
}
