import { KINDS } from '../../../failure/failure.ts'
import type { Attempt } from '../../../ledger/attempt.ts'
import type { EventType, LedgerEvent } from '../../../ledger/event.ts'
import { CANCEL_REASONS } from '../../../verdict/verdict.ts'
import { tokensByKind } from './bill-counters.ts'
import { Counter, type Family, Histogram } from './series.ts'

/** The outcome of a run, by the event that ended it. */
const RUN_OUTCOMES: Partial<Record<EventType, string>> = {
  succeeded: 'succeeded',
  retrying: 'retry',
  snoozed: 'snooze',
  parked: 'park',
  dead: 'cancel',
  handed_back: 'handed_back',
}

/** Events about a try, whose attempt record has the details. */
const WITH_ATTEMPT = ['attempted', ...Object.keys(RUN_OUTCOMES)] as readonly EventType[]

/** Event types that are counted. */
export const COUNTED: readonly EventType[] = [
  ...WITH_ATTEMPT,
  'submitted',
  'taken_over',
  'unknown_seen',
  'labelled',
]

/** Buckets in seconds, from a call that fails at once to an agent that works for a day. */
const DURATIONS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400]
/** Buckets in seconds, from a first retry to the longest vendor limit. */
const WAITS = [1, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400, 604_800]

/** Label of tries without a provider. */
const NO_PROVIDER = 'none'

/** Counts a ledger's events and their tries. The same events always give the same counts. */
export class EventCounters {
  readonly #submitted = new Counter('mulligan_submitted_total', 'Submitted operations.')
  readonly #ended = new Counter('mulligan_ended_total', 'Ended operations by outcome.')
  readonly #attempts = new Counter(
    'mulligan_attempts_total',
    'Tries by provider and failure class; class "ok" means success.',
  )
  readonly #failures = new Counter('mulligan_failures_total', 'Failed tries by class and kind.')
  readonly #verdicts = new Counter('mulligan_verdicts_total', 'Verdicts on failures by action.')
  readonly #cost = new Counter('mulligan_cost_usd_total', 'Known cost of tries in US dollars.')
  readonly #tokens = new Counter('mulligan_tokens_total', 'Known tokens of tries by provider and kind.')
  readonly #lost = new Counter('mulligan_runners_lost_total', 'Runs taken over from lost runners.')
  readonly #unknowns = new Counter('mulligan_unknowns_seen_total', 'Sightings of unknown failures.')
  readonly #labels = new Counter('mulligan_labels_total', 'Labels given to unknown failures.')
  readonly #attemptSeconds = new Histogram(
    'mulligan_attempt_duration_seconds',
    'Duration of tries by provider.',
    DURATIONS,
  )
  readonly #runSeconds = new Histogram(
    'mulligan_run_duration_seconds',
    'Duration of runs by outcome.',
    DURATIONS,
  )
  readonly #waitSeconds = new Histogram(
    'mulligan_wait_seconds',
    'Time until the next run of an operation, by verdict.',
    WAITS,
  )

  constructor() {
    // Counters without labels start at 0, because an alert on a rate needs a value before the first increase.
    for (const counter of [this.#submitted, this.#lost, this.#unknowns, this.#labels]) counter.add({}, 0)
    for (const outcome of ['succeeded', ...CANCEL_REASONS]) this.#ended.add({ outcome }, 0)
    this.expect([NO_PROVIDER])
  }

  /** Starts the outcomes of these providers at 0: an alert must see the first burst as an increase. */
  expect(providers: readonly string[]): void {
    for (const provider of providers)
      for (const cls of ['ok', ...Object.keys(KINDS)]) this.#attempts.add({ provider, class: cls }, 0)
  }

  /** All families, in page order. */
  get families(): readonly Family[] {
    return Object.values(this.#all())
  }

  /** Whether counting an event needs the attempt record. */
  needsAttempt({ type, data }: LedgerEvent): boolean {
    return WITH_ATTEMPT.includes(type) && (type === 'succeeded' || data?.attempt !== undefined)
  }

  /** @param attempt the attempt of the event, if there is one and it still exists */
  count({ type, at, data = {} }: LedgerEvent, attempt: Attempt | undefined): void {
    switch (type) {
      case 'submitted':
        this.#submitted.add({})
        return
      case 'taken_over':
        this.#lost.add({})
        return
      case 'unknown_seen':
        this.#unknowns.add({})
        return
      case 'labelled':
        this.#labels.add({})
        return
    }
    this.#countTry(type, data, attempt)
    const outcome = RUN_OUTCOMES[type]
    if (outcome !== undefined && typeof data.duration_ms === 'number')
      this.#runSeconds.observe({ outcome }, data.duration_ms / 1_000)
    if (type === 'succeeded') this.#ended.add({ outcome: 'succeeded' })
    if (type === 'dead') this.#ended.add({ outcome: String(data.as ?? 'cancelled') })
    if ((type === 'retrying' || type === 'snoozed') && typeof data.due_at === 'number')
      this.#waitSeconds.observe({ verdict: verdictOf(type) as string }, Math.max(0, data.due_at - at) / 1_000)
  }

  /** The counts, to survive a restart. */
  toJson(): Record<string, unknown> {
    return Object.fromEntries(Object.entries(this.#all()).map(([key, family]) => [key, family.toJson()]))
  }

  /** Continues from stored counts. Counters that an older version did not have start at 0. */
  restore(kept: Readonly<Record<string, unknown>>): void {
    for (const [key, family] of Object.entries(this.#all()))
      if (kept[key] !== undefined) family.restore(kept[key])
  }

  #countTry(type: EventType, data: Record<string, unknown>, attempt: Attempt | undefined): void {
    const cls = attempt ? attempt.failure?.class : data.class
    const kind = attempt ? attempt.failure?.kind : data.kind
    const decided = attempt?.verdict?.action ?? verdictOf(type)
    // A cancel by hand and a park for a missing runner are events without a try, and no verdict on one.
    const isTry = attempt !== undefined || data.attempt !== undefined || type === 'succeeded'
    // Nor is what a person marked as done.
    if (!isTry || (type === 'succeeded' && data.marked_by !== undefined)) return
    if (decided !== undefined) this.#verdicts.add({ action: decided })
    const provider = attempt?.provider ?? attempt?.failure?.provider ?? data.provider ?? NO_PROVIDER
    const labels = { provider: String(provider) }
    this.#attempts.add({ ...labels, class: String(cls ?? 'ok') })
    if (cls !== undefined) this.#failures.add({ class: String(cls), kind: String(kind) })
    if (!attempt) return
    this.#attemptSeconds.observe(labels, Math.max(0, attempt.endedAt - attempt.startedAt) / 1_000)
    if (attempt.costUsd !== undefined) this.#cost.add(labels, attempt.costUsd)
    for (const [kind, tokens] of tokensByKind(attempt.usage)) this.#tokens.add({ ...labels, kind }, tokens)
  }

  #all(): Record<string, Counter | Histogram> {
    return {
      submitted: this.#submitted,
      ended: this.#ended,
      attempts: this.#attempts,
      failures: this.#failures,
      verdicts: this.#verdicts,
      cost: this.#cost,
      tokens: this.#tokens,
      lost: this.#lost,
      unknowns: this.#unknowns,
      labels: this.#labels,
      attemptSeconds: this.#attemptSeconds,
      runSeconds: this.#runSeconds,
      waitSeconds: this.#waitSeconds,
    }
  }
}

function verdictOf(type: EventType): string | undefined {
  const outcome = RUN_OUTCOMES[type]
  return outcome === 'succeeded' || outcome === 'handed_back' ? undefined : outcome
}
