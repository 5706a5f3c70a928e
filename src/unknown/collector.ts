import { present } from '../failure/present.ts'
import type { EventType, LedgerEvent } from '../ledger/event.ts'
import { EventReader, type Projection } from '../ledger/event-reader.ts'
import type { Ledger, LedgerTransaction } from '../ledger/ledger.ts'
import type { UnknownSighting } from '../ledger/unknown.ts'
import { answerOf, type Writing } from '../ledger/writing.ts'
import type { Time } from '../time/time.ts'

/** The ledger cursor that all processes share. */
const CONSUMER = 'unknown'
/** Events that end a try and may carry an unknown failure. */
const TYPES: readonly EventType[] = ['parked', 'attempted', 'handed_back', 'dead']
/** Wait after a change, to collect a burst at once; in milliseconds. */
const GATHER_MS = 250

/** Collaborators of an {@link UnknownCollector}. */
export interface CollectorDeps {
  ledger: Ledger
  time: Time
  /** Called with each error; collecting is tried again later. */
  onError: (error: unknown) => void
}

/** Collects unknowns. Each is counted once, even if several processes collect. */
export class UnknownCollector {
  readonly #ledger: Ledger
  readonly #reader: EventReader
  #collected = 0
  /** Counted by the last transaction. */
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

  /** Number of failures counted so far. */
  get collected(): number {
    return this.#collected + this.#written
  }

  /** Collects up to now, then follows the ledger until closed. */
  start(): Promise<void> {
    return this.#reader.start()
  }

  /** Collects up to now. Never rejects. */
  look(): Promise<void> {
    return this.#reader.look()
  }

  /** Stops. Settles once pending writes are done. */
  close(): Promise<void> {
    return this.#reader.stop()
  }

  async #project(events: readonly LedgerEvent[]): Promise<Projection | undefined> {
    this.#collected += this.#written
    this.#written = 0
    const sightings = (await Promise.all(events.map(event => sightingOf(this.#ledger, event)))).flat()
    if (sightings.length === 0) return undefined
    return writes => this.#write(writes, sightings)
  }

  *#write(writes: LedgerTransaction, sightings: readonly UnknownSighting[]): Writing<void> {
    this.#written = sightings.length
    for (const sighting of sightings) yield* answerOf(writes.recordUnknown(sighting))
  }
}

/**
 * The unknown failure behind an event, if any: its try was parked for a label, failed over to another provider, or ended the
 * operation, because it may not run again.
 */
async function sightingOf(
  ledger: Pick<Ledger, 'attempts'>,
  { type, operation, run, data, at }: LedgerEvent,
): Promise<UnknownSighting[]> {
  const isParked = type === 'parked' && data?.for === 'label'
  if (operation === undefined || data?.class !== 'unknown' || (type === 'parked' && !isParked)) return []
  const attempts = await ledger.attempts(operation)
  const number = data.attempt as number | undefined
  const attempt =
    attempts.find(tried => tried.number === number) ?? attempts.findLast(tried => tried.run === run)
  const failure = attempt?.failure
  // A label given meanwhile has already reclassified the attempt.
  if (failure?.class !== 'unknown') return []
  const isEnd = type === 'dead' && attempt?.verdict?.action === 'cancel' && failure.kind !== 'command_failed'
  if (!isParked && !isEnd && attempt?.verdict?.action !== 'failover') return []
  const { provider = failure.provider, model = failure.model } = attempt ?? {}
  return [
    {
      failure,
      at: attempt?.endedAt ?? at,
      outcome: isParked ? 'parked' : isEnd ? 'ended' : 'failover',
      operation,
      ...present({ provider, model }),
    },
  ]
}
