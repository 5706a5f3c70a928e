import { isSurface } from '../../../provider/provider-name.ts'
import type { Answered } from '../app.ts'
import type { Facilities } from '../facilities.ts'
import { billCounters } from './bill-counters.ts'
import { EventCounting } from './event-counting.ts'
import { expositionOf } from './exposition.ts'
import { processGauges } from './process-gauges.ts'
import { queueGauges } from './queue-gauges.ts'
import { Counter, type Family, gauge, Histogram } from './series.ts'

/** How long one page serves all scrapers, in milliseconds. */
const FRESH_MS = 1_000
/** Buckets for the duration of answers, in seconds. */
const ANSWER_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.3, 1, 5, 30, 60]
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])

/** Collaborators of {@link Metrics}. */
export interface MetricsDeps {
  facilities: Facilities
  version: string
  /** Number of open event streams. */
  streams: () => number
  /** Called when events cannot be read. */
  onError: (error: unknown) => void
}

/** The metrics for Prometheus: counts of events, the current state, and figures of this daemon. */
export class Metrics {
  readonly #deps: MetricsDeps
  readonly #events: EventCounting
  readonly #requests = new Counter(
    'mulligan_http_requests_total',
    'Requests to the HTTP API by route and status.',
  )
  readonly #seconds = new Histogram(
    'mulligan_http_request_duration_seconds',
    'Time until the HTTP API began to answer, by method.',
    ANSWER_SECONDS,
  )
  #page: { at: number; text: Promise<string> } | undefined

  constructor(deps: MetricsDeps) {
    this.#deps = deps
    const { ledger, time } = deps.facilities
    this.#events = new EventCounting({ ledger, time, onError: deps.onError })
  }

  /** Counts an answer of the API. */
  answered({ method, route, status, durationMs }: Answered): void {
    const known = METHODS.has(method) ? method : 'other'
    this.#requests.add({ method: known, route, status: String(status) })
    this.#seconds.observe({ method: known }, durationMs / 1_000)
  }

  /** The page, at most a second old, so many scrapers cost one read of the ledger. */
  page(): Promise<string> {
    const now = this.#deps.facilities.time.monotonic()
    if (!this.#page || now - this.#page.at > FRESH_MS) {
      const text = this.#families().then(expositionOf)
      this.#page = { at: now, text }
      // Do not keep a failed page.
      text.catch(() => {
        this.#page = undefined
      })
    }
    return this.#page.text
  }

  /** Stops counting, and stores the counts. */
  stop(): Promise<void> {
    return this.#events.stop()
  }

  async #families(): Promise<Family[]> {
    const { facilities, version, streams } = this.#deps
    const statuses = await facilities.current()?.queue.health.status()
    const providers = statuses?.flatMap(({ id }) => (isSurface(id) ? [] : [id]))
    const [events, bill, gauges] = await Promise.all([
      this.#events.families(providers),
      billCounters(facilities.ledger),
      queueGauges(facilities),
    ])
    return [
      gauge('mulligan_build_info', 'The version of this daemon.', [{ labels: { version }, value: 1 }]),
      ...gauges,
      ...events,
      ...bill,
      this.#requests,
      this.#seconds,
      gauge('mulligan_http_event_streams', 'Open event streams.', [{ labels: {}, value: streams() }]),
      ...processGauges(facilities.time.now()),
    ]
  }
}
