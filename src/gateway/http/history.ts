import type { EventType, LedgerEvent } from '../../ledger/event.ts'
import { EventReader } from '../../ledger/event-reader.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Time } from '../../time/time.ts'

/** How far back it reaches, in milliseconds. */
export const HISTORY_MS = 24 * 3_600_000
/** Events that it begins with, at most: so long a ledger's start does not take longer than a short one's. */
const MOST_READ = 50_000
const BATCH = 500
/** What is counted together, in milliseconds; steps of a question are multiples of it. */
export const SLICE_MS = 10_000
/** Changes of providers that are kept. */
const MOST_CHANGES = 500

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
  'paused',
  'resumed',
]
const CHANGES: ReadonlySet<EventType> = new Set(['provider_blocked', 'provider_freed', 'paused', 'resumed'])

/** What history is made of. */
export interface HistoryDeps {
  ledger: Ledger
  time: Time
  /** Told when events cannot be read; they are tried again after a while. */
  onError: (error: unknown) => void
}

/** A stretch of time in steps of one length. */
export interface Stretch {
  /** Length of a step in milliseconds: whole slices. */
  stepMs: number
  steps: number
}

/** What ended in each step of a stretch of time. */
export interface Ends {
  /** Where the first step begins, epoch milliseconds. */
  from: number
  stepMs: number
  /** Failed tries by class, one number per step. */
  failures: Record<string, number[]>
  /** Failed tries in all steps, by kind. */
  kinds: Record<string, number>
  /** Operations that succeeded, one number per step. */
  succeeded: number[]
  /** Operations that died, by what of, in all steps. */
  dead: Record<string, number>
}

/** Something that changed about a provider. */
export interface ProviderChange {
  at: number
  type: EventType
  data: Record<string, unknown>
}

interface Slice {
  succeeded: number
  dead: Map<string, number>
  /** How often, by provider (empty if unknown), class and kind. */
  failures: Map<string, { provider: string; class: string; kind: string; count: number }>
}

/**
 * What happened in the last day, counted in slices of ten seconds from the events of all processes. In memory: a question costs the
 * same however many operations there are.
 */
export class History {
  readonly #deps: HistoryDeps
  readonly #slices = new Map<number, Slice>()
  readonly #changes: ProviderChange[] = []
  #reader: Promise<EventReader> | undefined

  constructor(deps: HistoryDeps) {
    this.#deps = deps
  }

  /** Resolves when everything up to now has been counted. The first call begins to count. */
  async ready(): Promise<void> {
    this.#reader ??= this.#start()
    await this.#reader
  }

  /** What ended in a stretch of time up to now, of all providers or of one. */
  ends({ stepMs, steps }: Stretch, provider?: string): Ends {
    const end = Math.floor(this.#deps.time.now() / stepMs) + 1
    const from = (end - steps) * stepMs
    const zeros = () => Array.from({ length: steps }, () => 0)
    const ends: Ends = { from, stepMs, failures: {}, kinds: {}, succeeded: zeros(), dead: {} }
    for (const [at, slice] of this.#slices) {
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

  /** What changed about a provider, the newest first. */
  changesOf(provider: string): ProviderChange[] {
    return this.#changes.filter(({ data }) => data.provider === provider).reverse()
  }

  /** Counts no more. */
  async stop(): Promise<void> {
    const reader = await this.#reader?.catch(() => undefined)
    await reader?.stop()
  }

  async #start(): Promise<EventReader> {
    const { ledger, time, onError } = this.#deps
    const reader = new EventReader({
      ledger,
      time,
      onError,
      types: TYPES,
      batch: BATCH,
      from: Math.max(0, (await ledger.lastEvent()) - MOST_READ),
      gatherMs: 100,
      handle: events => this.#count(events),
    })
    await reader.start()
    return reader
  }

  #count(events: readonly LedgerEvent[]): void {
    const oldest = this.#deps.time.now() - HISTORY_MS
    for (const event of events) if (event.at >= oldest) this.#countOne(event)
    for (const at of this.#slices.keys()) {
      if (at >= oldest) break
      this.#slices.delete(at)
    }
    this.#changes.splice(0, Math.max(0, this.#changes.length - MOST_CHANGES))
  }

  #countOne({ at, type, data = {} }: LedgerEvent): void {
    if (CHANGES.has(type)) {
      this.#changes.push({ at, type, data })
      return
    }
    const slice = this.#sliceOf(at)
    if (type === 'succeeded') slice.succeeded += 1
    if (type === 'dead') slice.dead.set(String(data.as), (slice.dead.get(String(data.as)) ?? 0) + 1)
    // A new verdict about an old failure is no further failure.
    if (typeof data.class !== 'string' || data.by !== undefined) return
    const provider = typeof data.provider === 'string' ? data.provider : ''
    const kind = String(data.kind)
    const key = `${provider}\n${data.class}\n${kind}`
    const known = slice.failures.get(key)
    if (known) known.count += 1
    else slice.failures.set(key, { provider, class: data.class, kind, count: 1 })
  }

  #sliceOf(at: number): Slice {
    const begin = Math.floor(at / SLICE_MS) * SLICE_MS
    const known = this.#slices.get(begin)
    if (known) return known
    const slice: Slice = { succeeded: 0, dead: new Map(), failures: new Map() }
    this.#slices.set(begin, slice)
    return slice
  }
}

function add(counts: number[], step: number, count: number): void {
  counts[step] = (counts[step] as number) + count
}
