import type { Attempt } from '../../../ledger/attempt.ts'
import type { EventType, LedgerEvent } from '../../../ledger/event.ts'
import { Counter, type Family, Histogram } from './series.ts'

/** What a run ended with. */
const RUN_OUTCOMES: Partial<Record<EventType, string>> = {
  succeeded: 'succeeded',
  retrying: 'retry',
  snoozed: 'snooze',
  parked: 'park',
  dead: 'cancel',
  handed_back: 'handed_back',
}

/** Events that tell of a try, whose record says more. */
const WITH_ATTEMPT = ['attempted', ...Object.keys(RUN_OUTCOMES)] as readonly EventType[]

/** Events that are counted. */
export const COUNTED: readonly EventType[] = [
  ...WITH_ATTEMPT,
  'submitted',
  'taken_over',
  'unknown_seen',
  'labelled',
]

/** Seconds from a call that fails at once to an agent that works for a day. */
const DURATIONS = [0.01, 0.05, 0.25, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400]
/** Seconds from the first retry to the longest limit of a vendor. */
const WAITS = [1, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400, 604_800]

/** What stands where there is no provider. */
const NO_PROVIDER = 'none'

/** Counts what happened, from the events of a ledger and the tries that they tell of. The same events give the same counts. */
export class EventCounters {
  readonly #submitted = new Counter('mulligan_submitted_total', 'Operations that were submitted.')
  readonly #ended = new Counter('mulligan_ended_total', 'Operations that ended, by how.')
  readonly #attempts = new Counter(
    'mulligan_attempts_total',
    'Tries by provider and by class of the failure; class "ok" succeeded.',
  )
  readonly #failures = new Counter('mulligan_failures_total', 'Failed tries by class and kind.')
  readonly #verdicts = new Counter('mulligan_verdicts_total', 'What was decided about failures.')
  readonly #cost = new Counter('mulligan_cost_usd_total', 'US dollars that tries cost, as far as known.')
  readonly #lost = new Counter('mulligan_runners_lost_total', 'Runs that were taken over from a lost runner.')
  readonly #unknowns = new Counter('mulligan_unknowns_seen_total', 'Failures that no rule and no label knew.')
  readonly #labels = new Counter('mulligan_labels_total', 'Labels that people gave.')
  readonly #attemptSeconds = new Histogram(
    'mulligan_attempt_duration_seconds',
    'How long tries took, by provider.',
    DURATIONS,
  )
  readonly #runSeconds = new Histogram(
    'mulligan_run_duration_seconds',
    'How long runs took, by what they ended with.',
    DURATIONS,
  )
  readonly #waitSeconds = new Histogram(
    'mulligan_wait_seconds',
    'How long operations were told to wait before their next run, by verdict.',
    WAITS,
  )

  constructor() {
    // What has no labels is there from the beginning: who alerts on a rate needs the nothing before the first.
    for (const counter of [this.#submitted, this.#lost, this.#unknowns, this.#labels]) counter.add({}, 0)
  }

  /** All families, in the order of the page. */
  get families(): readonly Family[] {
    return Object.values(this.#all())
  }

  /** Whether the record of a try is needed to count an event. */
  needsAttempt({ type, data }: LedgerEvent): boolean {
    return WITH_ATTEMPT.includes(type) && (type === 'succeeded' || data?.attempt !== undefined)
  }

  /** @param attempt the try that it tells of, where there is one and it is still kept */
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

  /** As it is kept over a restart. */
  toJson(): Record<string, unknown> {
    return Object.fromEntries(Object.entries(this.#all()).map(([key, family]) => [key, family.toJson()]))
  }

  /** Goes on from what was kept; what an older version did not count begins at nothing. */
  restore(kept: Readonly<Record<string, unknown>>): void {
    for (const [key, family] of Object.entries(this.#all()))
      if (kept[key] !== undefined) family.restore(kept[key])
  }

  #countTry(type: EventType, data: Record<string, unknown>, attempt: Attempt | undefined): void {
    const cls = attempt ? attempt.failure?.class : data.class
    const kind = attempt ? attempt.failure?.kind : data.kind
    const decided = attempt?.verdict?.action ?? verdictOf(type)
    // A cancel by hand, and a park because nobody can run it, are told by events without a try.
    const isTry = attempt !== undefined || data.attempt !== undefined || type === 'succeeded'
    if (decided !== undefined) this.#verdicts.add({ action: decided })
    if (!isTry) return
    const provider = attempt?.provider ?? attempt?.failure?.provider ?? data.provider ?? NO_PROVIDER
    const labels = { provider: String(provider) }
    this.#attempts.add({ ...labels, class: String(cls ?? 'ok') })
    if (cls !== undefined) this.#failures.add({ class: String(cls), kind: String(kind) })
    if (!attempt) return
    this.#attemptSeconds.observe(labels, Math.max(0, attempt.endedAt - attempt.startedAt) / 1_000)
    if (attempt.costUsd !== undefined) this.#cost.add(labels, attempt.costUsd)
  }

  #all(): Record<string, Counter | Histogram> {
    return {
      submitted: this.#submitted,
      ended: this.#ended,
      attempts: this.#attempts,
      failures: this.#failures,
      verdicts: this.#verdicts,
      cost: this.#cost,
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
