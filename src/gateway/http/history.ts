import { deliveriesAmong } from '../../ledger/deliveries-among.ts'
import type { EventType, LedgerEvent } from '../../ledger/event.ts'
import { EventReader } from '../../ledger/event-reader.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Time } from '../../time/time.ts'
import { Spread } from './spread.ts'

/** How far back the history reaches, in milliseconds. */
export const HISTORY_MS = 7 * 24 * 3_600_000
/** Most events read at the start, so a long ledger does not start more slowly than a short one. */
const MOST_READ = 50_000
const BATCH = 500
/** Length of a slice, in milliseconds; steps of a query are multiples of it. */
export const SLICE_MS = 10_000
/** For so long slices stay fine, in milliseconds. */
const FINE_MS = 24 * 3_600_000
/** Length of older slices, in milliseconds: the steps of a week are whole numbers of them. */
const COARSE_MS = 42 * SLICE_MS
/** Most changes of one provider in memory: one that comes and goes must not push out what happened to the others. */
const MOST_CHANGES = 500
/** Most fingerprints counted in one slice: a flood of failures that all differ must not fill the memory. */
const MOST_FINGERPRINTS = 100

const TYPES: readonly EventType[] = [
  'attempted',
  'retrying',
  'snoozed',
  'parked',
  'dead',
  'handed_back',
  'succeeded',
  'provider_blocked',
  'provider_freed',
  'provider_served',
  'paused',
  'resumed',
]
const CHANGES: ReadonlySet<EventType> = new Set([
  'provider_blocked',
  'provider_freed',
  'provider_served',
  'paused',
  'resumed',
])

/** Collaborators of the history. */
export interface HistoryDeps {
  ledger: Ledger
  time: Time
  /** Called when events cannot be read; reading is tried again later. */
  onError: (error: unknown) => void
}

/** A time span in steps of equal length. */
export interface Stretch {
  /** Length of a step in milliseconds: whole slices. */
  stepMs: number
  steps: number
}

/** What ended in each step of a time span. */
export interface Ends {
  /** Start of the first step, epoch milliseconds. */
  from: number
  stepMs: number
  /** Failed tries by class, one number per step. */
  failures: Record<string, number[]>
  /** Failed tries in all steps, by kind. */
  kinds: Record<string, number>
  /** Operations that succeeded, one number per step. */
  succeeded: number[]
  /** Operations that died, by `deadAs`, in all steps. */
  dead: Record<string, number>
}

/** A failure that came again and again. */
export interface FrequentFailure {
  fingerprint: string
  class: string
  kind: string
  /** One number per step. */
  counts: number[]
}

/** How much was done in each step of a time span, how long it took, and what it cost. One number per step. */
export interface Work {
  /** Start of the first step, epoch milliseconds. */
  from: number
  stepMs: number
  /** The first counted event, if that is later than `from`. */
  knownFrom?: number
  succeeded: number[]
  dead: number[]
  /** How long runs took. */
  ran: Spread[]
  /** How long runs were due before they began. */
  waited: Spread[]
  costUsd: number[]
  /** The most frequent failures, the most frequent first. */
  failures: FrequentFailure[]
  /** Tries that a provider refused for its rate or quota, by provider. */
  throttled: Record<string, number[]>
}

/** A change of a provider. */
export interface ProviderChange {
  at: number
  type: EventType
  data: Record<string, unknown>
}

interface Slice {
  succeeded: number
  costUsd: number
  ran: Spread
  waited: Spread
  fingerprints: Map<string, { class: string; kind: string; count: number }>
  dead: Map<string, number>
  /** How often, by provider (empty if unknown), class and kind. */
  failures: Map<string, { provider: string; class: string; kind: string; count: number }>
}

/**
 * What happened in the last week, counted from the events of all processes: the last day in slices of ten seconds, what is
 * older in slices of seven minutes. In memory: a query costs the same for any number of operations.
 */
export class History {
  readonly #deps: HistoryDeps
  readonly #slices = new Map<number, Slice>()
  readonly #older = new Map<number, Slice>()
  readonly #changes = new Map<string, ProviderChange[]>()
  #reader: Promise<EventReader> | undefined
  /** When the first event that was counted happened. */
  #knownFrom: number | undefined

  constructor(deps: HistoryDeps) {
    this.#deps = deps
  }

  /** Resolves when everything up to now has been counted. The first call starts counting. */
  async ready(): Promise<void> {
    // A failed start must not fail every later query.
    this.#reader ??= this.#start().catch(error => {
      this.#reader = undefined
      throw error
    })
    await this.#reader
  }

  /** What ended in a time span up to now, for all providers or one. */
  ends({ stepMs, steps }: Stretch, provider?: string): Ends {
    const end = Math.floor(this.#deps.time.now() / stepMs) + 1
    const from = (end - steps) * stepMs
    const zeros = () => Array.from({ length: steps }, () => 0)
    const ends: Ends = { from, stepMs, failures: {}, kinds: {}, succeeded: zeros(), dead: {} }
    for (const [at, slice] of [...this.#older, ...this.#slices]) {
      const step = Math.floor((at - from) / stepMs)
      if (step < 0 || step >= steps) continue
      for (const found of slice.failures.values()) {
        if (provider !== undefined && found.provider !== provider) continue
        ends.failures[found.class] ??= zeros()
        add(ends.failures[found.class] as number[], step, found.count)
        ends.kinds[found.kind] = (ends.kinds[found.kind] ?? 0) + found.count
      }
      if (provider !== undefined) continue
      add(ends.succeeded, step, slice.succeeded)
      for (const [as, count] of slice.dead) ends.dead[as] = (ends.dead[as] ?? 0) + count
    }
    return ends
  }

  /** How much was done in a time span up to now, and with what failures, at most `most` of them. */
  work({ stepMs, steps }: Stretch, most: number): Work {
    const end = Math.floor(this.#deps.time.now() / stepMs) + 1
    const from = (end - steps) * stepMs
    const zeros = () => Array.from({ length: steps }, () => 0)
    const spreads = () => Array.from({ length: steps }, () => new Spread())
    const work = {
      from,
      stepMs,
      ...(this.#knownFrom !== undefined && this.#knownFrom > from ? { knownFrom: this.#knownFrom } : {}),
      succeeded: zeros(),
      dead: zeros(),
      ran: spreads(),
      waited: spreads(),
      costUsd: zeros(),
      throttled: {} as Record<string, number[]>,
    }
    const failures = new Map<string, FrequentFailure>()
    for (const [at, slice] of [...this.#older, ...this.#slices]) {
      const step = Math.floor((at - from) / stepMs)
      if (step < 0 || step >= steps) continue
      add(work.succeeded, step, slice.succeeded)
      add(work.costUsd, step, slice.costUsd)
      for (const count of slice.dead.values()) add(work.dead, step, count)
      work.ran[step]?.merge(slice.ran)
      work.waited[step]?.merge(slice.waited)
      for (const { provider, class: cls, count } of slice.failures.values()) {
        if (cls !== 'throttle' || provider === '') continue
        work.throttled[provider] ??= zeros()
        add(work.throttled[provider], step, count)
      }
      for (const [fingerprint, { class: cls, kind, count }] of slice.fingerprints) {
        const known = failures.get(fingerprint) ?? { fingerprint, class: cls, kind, counts: zeros() }
        failures.set(fingerprint, known)
        add(known.counts, step, count)
      }
    }
    const sum = ({ counts }: FrequentFailure) => counts.reduce((total, count) => total + count, 0)
    return { ...work, failures: [...failures.values()].sort((a, b) => sum(b) - sum(a)).slice(0, most) }
  }

  /** Changes of a provider, newest first. */
  changesOf(provider: string): ProviderChange[] {
    const oldest = this.#deps.time.now() - HISTORY_MS
    return (this.#changes.get(provider) ?? []).filter(({ at }) => at >= oldest).reverse()
  }

  /** Stops counting. */
  async stop(): Promise<void> {
    const reader = await this.#reader?.catch(() => undefined)
    await reader?.stop()
  }

  async #start(): Promise<EventReader> {
    const { ledger, time, onError } = this.#deps
    this.#slices.clear()
    this.#older.clear()
    this.#changes.clear()
    this.#knownFrom = undefined
    const first = Math.max(0, (await ledger.lastEvent()) - MOST_READ)
    const reader = new EventReader({
      ledger,
      time,
      onError,
      types: TYPES,
      batch: BATCH,
      from: first,
      gatherMs: 100,
      handle: events => {
        this.#knownFrom ??= events[0]?.at
        return this.#count(events)
      },
    })
    await reader.start()
    return reader
  }

  async #count(events: readonly LedgerEvent[]): Promise<void> {
    const deliveries = await deliveriesAmong(this.#deps.ledger, events)
    const now = this.#deps.time.now()
    const oldest = now - HISTORY_MS
    for (const event of events)
      if (event.at >= oldest && !deliveries.has(event.operation ?? '')) this.#countOne(event)
    for (const [at, slice] of this.#slices) {
      if (at >= now - FINE_MS) break
      this.#slices.delete(at)
      merge(sliceAt(this.#older, at, COARSE_MS), slice)
    }
    for (const at of this.#older.keys()) {
      if (at >= oldest) break
      this.#older.delete(at)
    }
  }

  #countOne({ at, type, data = {} }: LedgerEvent): void {
    if (CHANGES.has(type)) {
      const provider = String(data.provider)
      const known = this.#changes.get(provider) ?? []
      this.#changes.set(provider, known)
      known.push({ at, type, data })
      if (known.length > MOST_CHANGES) known.shift()
      return
    }
    const slice = sliceAt(this.#slices, at, SLICE_MS)
    if (type === 'succeeded') slice.succeeded += 1
    if (typeof data.duration_ms === 'number') {
      slice.ran.add(data.duration_ms)
      slice.waited.add(typeof data.waited_ms === 'number' ? data.waited_ms : 0)
    }
    if (typeof data.cost_usd === 'number') slice.costUsd += data.cost_usd
    if (type === 'dead') slice.dead.set(String(data.as), (slice.dead.get(String(data.as)) ?? 0) + 1)
    // A new verdict about an old failure is not another failure.
    if (typeof data.class !== 'string' || data.by !== undefined) return
    const provider = typeof data.provider === 'string' ? data.provider : ''
    const kind = String(data.kind)
    const key = `${provider}\n${data.class}\n${kind}`
    const known = slice.failures.get(key)
    if (known) known.count += 1
    else slice.failures.set(key, { provider, class: data.class, kind, count: 1 })
    if (typeof data.fingerprint !== 'string') return
    const same = slice.fingerprints.get(data.fingerprint)
    if (same) same.count += 1
    else if (slice.fingerprints.size < MOST_FINGERPRINTS)
      slice.fingerprints.set(data.fingerprint, { class: data.class, kind, count: 1 })
  }
}

/** The slice of this length that a time falls into. */
function sliceAt(slices: Map<number, Slice>, at: number, length: number): Slice {
  const begin = Math.floor(at / length) * length
  const known = slices.get(begin)
  if (known) return known
  const slice: Slice = {
    succeeded: 0,
    costUsd: 0,
    ran: new Spread(),
    waited: new Spread(),
    dead: new Map(),
    failures: new Map(),
    fingerprints: new Map(),
  }
  slices.set(begin, slice)
  return slice
}

/** Counts what one slice has in another. */
function merge(into: Slice, from: Slice): void {
  into.succeeded += from.succeeded
  into.costUsd += from.costUsd
  into.ran.merge(from.ran)
  into.waited.merge(from.waited)
  for (const [as, count] of from.dead) into.dead.set(as, (into.dead.get(as) ?? 0) + count)
  mergeCounts(into.failures, from.failures, Number.POSITIVE_INFINITY)
  mergeCounts(into.fingerprints, from.fingerprints, MOST_FINGERPRINTS)
}

function mergeCounts<T extends { count: number }>(
  into: Map<string, T>,
  from: ReadonlyMap<string, T>,
  most: number,
): void {
  for (const [key, each] of from) {
    const known = into.get(key)
    if (known) known.count += each.count
    else if (into.size < most) into.set(key, { ...each })
  }
}

function add(counts: number[], step: number, count: number): void {
  counts[step] = (counts[step] as number) + count
}
