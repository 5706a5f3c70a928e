import type { Attempt } from '../../../ledger/attempt.ts'
import type { LedgerEvent } from '../../../ledger/event.ts'
import { EventReader } from '../../../ledger/event-reader.ts'
import type { Ledger } from '../../../ledger/ledger.ts'
import type { Time } from '../../../time/time.ts'
import { COUNTED, EventCounters } from './event-counters.ts'
import { Counter, type Family } from './series.ts'

/** Name under which counts and the event that they reach to are kept. */
export const KEPT_UNDER = 'metrics'
/** How often they are kept, in milliseconds. After a crash, what came since is read again. */
const KEEP_EVERY_MS = 60_000
/** Events that are caught up with after a stop, at most; more are left out, so that a scrape never reads for minutes. */
const MOST_BEHIND = 200_000
/** How long events are gathered, in milliseconds: nobody scrapes more often. */
const GATHER_MS = 1_000
const BATCH = 1_000
/** How long a scrape waits for events that are not counted yet, in milliseconds. */
const PATIENCE_MS = 1_000

/** What counting works with. */
export interface EventCountingDeps {
  ledger: Ledger
  time: Time
  /** Told when events cannot be read; they are tried again after a while. */
  onError: (error: unknown) => void
}

interface Kept {
  /** Everything up to this event is counted. */
  position: number
  counts: Record<string, unknown>
}

/**
 * Counts the events of all processes of a ledger. Counts are kept in the ledger together with the event that they reach to: they
 * go on over restarts, and every daemon of a ledger shows the same. Begins with the first scrape, so that who does not
 * scrape pays nothing.
 */
export class EventCounting {
  readonly #deps: EventCountingDeps
  readonly #counters = new EventCounters()
  readonly #skipped = new Counter(
    'mulligan_metrics_skipped_events_total',
    'Events that were not counted, because nobody had scraped for long.',
  )
  #started: Promise<void> | undefined
  #reader: EventReader | undefined
  #keptAt = Number.NEGATIVE_INFINITY
  #keptPosition = -1

  constructor(deps: EventCountingDeps) {
    this.#deps = deps
    this.#skipped.add({}, 0)
  }

  /** The counts of now; what takes longer than a second to count is in the next ones. */
  async families(): Promise<readonly Family[]> {
    this.#started ??= this.#start().catch(error => {
      this.#started = undefined
      this.#deps.onError(error)
    })
    await this.#within(
      PATIENCE_MS,
      this.#started.then(() => this.#reader?.look()),
    )
    return [...this.#counters.families, this.#skipped]
  }

  /** Counts no more, and keeps the counts. */
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
    await this.#keep()
  }

  async #count(events: readonly LedgerEvent[]): Promise<void> {
    const attempts = await Promise.all(events.map(event => this.#attemptOf(event)))
    // Nothing is counted if something could not be read: then all of them come again.
    events.forEach((event, index) => {
      this.#counters.count(event, attempts[index])
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

  /** @param position up to where events are counted; default what the reader says */
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
