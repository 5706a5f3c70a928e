import type { Attempt } from '../../../ledger/attempt.ts'
import { deliveriesAmong } from '../../../ledger/deliveries-among.ts'
import type { LedgerEvent } from '../../../ledger/event.ts'
import { EventReader } from '../../../ledger/event-reader.ts'
import type { Ledger } from '../../../ledger/ledger.ts'
import type { Time } from '../../../time/time.ts'
import { COUNTED, EventCounters } from './event-counters.ts'
import { Counter, type Family } from './series.ts'

/** The ledger setting with the counts and the last event they include. */
export const KEPT_UNDER = 'metrics'
/** How often counts are stored, in milliseconds. After a crash, later events are read again. */
const KEEP_EVERY_MS = 60_000
/** Most events read to catch up after a stop. With more, all are skipped, because a scrape must not read for minutes. */
const MOST_BEHIND = 200_000
/** How long events are gathered, in milliseconds. Scrapes are rarer than that. */
const GATHER_MS = 1_000
const BATCH = 1_000
/** How long a scrape waits until all events are counted, in milliseconds. */
const PATIENCE_MS = 1_000

/** Collaborators of {@link EventCounting}. */
export interface EventCountingDeps {
  ledger: Ledger
  time: Time
  /** Called when events cannot be read; reading is tried again later. */
  onError: (error: unknown) => void
}

interface Kept {
  /** Id of the last counted event. */
  position: number
  counts: Record<string, unknown>
}

/**
 * Counts the events of all processes of a ledger. Stores the counts in the ledger with the last event they include, so
 * they continue after a restart, and all daemons of a ledger show the same. Starts with the first scrape: without
 * scrapes it costs nothing.
 */
export class EventCounting {
  readonly #deps: EventCountingDeps
  readonly #counters = new EventCounters()
  readonly #skipped = new Counter(
    'mulligan_metrics_skipped_events_total',
    'Events skipped because the last scrape was too long ago.',
  )
  #started: Promise<void> | undefined
  #reader: EventReader | undefined
  #keptAt = Number.NEGATIVE_INFINITY
  #keptPosition = -1

  constructor(deps: EventCountingDeps) {
    this.#deps = deps
    this.#skipped.add({}, 0)
  }

  /**
   * The current counts. Events that take longer than a second to count appear in the next scrape.
   * @param providers those whose counts exist from now on, even if nothing has happened to them yet
   */
  async families(providers: readonly string[] = []): Promise<readonly Family[]> {
    this.#started ??= this.#start().catch(error => {
      this.#started = undefined
      this.#deps.onError(error)
    })
    await this.#within(
      PATIENCE_MS,
      this.#started.then(() => this.#reader?.look()),
    )
    this.#counters.expect(providers)
    return [...this.#counters.families, this.#skipped]
  }

  /** Stops counting, and stores the counts. */
  async stop(): Promise<void> {
    await this.#reader?.stop()
    await this.#keep().catch(this.#deps.onError)
  }

  async #start(): Promise<void> {
    const { ledger, time, onError } = this.#deps
    const last = await ledger.lastEvent()
    const kept = (await ledger.setting(KEPT_UNDER)) as Kept | undefined
    if (kept) this.#counters.restore(kept.counts)
    const behind = kept ? Math.max(0, last - kept.position) : 0
    if (behind > MOST_BEHIND) this.#skipped.add({}, behind)
    this.#reader = new EventReader({
      ledger,
      time,
      onError,
      types: COUNTED,
      from: kept && behind <= MOST_BEHIND ? kept.position : last,
      gatherMs: GATHER_MS,
      batch: BATCH,
      handle: events => this.#count(events),
    })
    await this.#reader.start()
    // What cannot be stored now is stored with later counts.
    await this.#keep().catch(onError)
  }

  async #count(events: readonly LedgerEvent[]): Promise<void> {
    const deliveries = await deliveriesAmong(this.#deps.ledger, events)
    const attempts = await Promise.all(events.map(event => this.#attemptOf(event)))
    // If an attempt cannot be read, none of the events is counted, and all come again.
    events.forEach((event, index) => {
      if (!deliveries.has(event.operation ?? '')) this.#counters.count(event, attempts[index])
    })
    if (this.#deps.time.monotonic() - this.#keptAt >= KEEP_EVERY_MS) await this.#keep(events.at(-1)?.id)
  }

  async #attemptOf(event: LedgerEvent): Promise<Attempt | undefined> {
    const { operation, run, data } = event
    if (operation === undefined || !this.#counters.needsAttempt(event)) return undefined
    const attempts = await this.#deps.ledger.attempts(operation)
    return typeof data?.attempt === 'number'
      ? attempts.find(({ number }) => number === data.attempt)
      : attempts.findLast(attempt => attempt.run === run)
  }

  /** @param position id of the last counted event; default the reader's position */
  async #keep(position = this.#reader?.position): Promise<void> {
    if (position === undefined || position === this.#keptPosition) return
    this.#keptAt = this.#deps.time.monotonic()
    this.#keptPosition = position
    const kept: Kept = { position, counts: this.#counters.toJson() }
    await this.#deps.ledger.setSetting(KEPT_UNDER, kept)
  }

  async #within(ms: number, work: Promise<unknown>): Promise<void> {
    let cancel = () => {}
    const over = new Promise<void>(resolve => {
      cancel = this.#deps.time.after(ms, resolve)
    })
    await Promise.race([work, over]).finally(() => cancel())
  }
}
