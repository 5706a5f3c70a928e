import type { Time } from '../time/time.ts'
import { FLUSH_MS, type FlushTimer } from './flush-timer.ts'
import type { Providers } from './providers.ts'
import type { ProviderStore } from './store.ts'

/** Spends of other processes that are older than this are read before a capped provider is asked again. */
export const STALE_MS = 10_000

/** Spends older than this, and than any window of ours, are forgotten: more than the longest month. */
const FORGET_MS = 40 * 86_400_000

const HOUR_MS = 3_600_000

/** Keeps cells and meters in step with a store that other processes share. */
export class StoreSync {
  readonly #store: ProviderStore
  readonly #time: Time
  readonly #providers: Providers
  readonly #flushTimer: FlushTimer
  readonly #onProblem: (error: unknown) => void
  readonly #onRefreshed: () => void
  #isLoaded = false
  #loading: Promise<void> | undefined
  #stopListening: (() => void) | undefined
  #flushing: Promise<void> | undefined
  #readAt = -Infinity
  #forgotAt: number
  #isDisposed = false

  /** @param onRefreshed called when changes of other processes came in */
  constructor(
    store: ProviderStore,
    time: Time,
    providers: Providers,
    flushTimer: FlushTimer,
    onProblem: (error: unknown) => void,
    onRefreshed: () => void,
  ) {
    this.#store = store
    this.#time = time
    this.#providers = providers
    this.#flushTimer = flushTimer
    this.#onProblem = onProblem
    this.#onRefreshed = onRefreshed
    // A process that lives shorter than an hour leaves it to others: one that only looks must not have to write.
    this.#forgotAt = time.monotonic()
    flushTimer.listen(() => void this.flush())
  }

  /** Settles when everything stored is known; a load that failed is tried again by the next call. */
  ready(): Promise<void> {
    if (this.#isLoaded) return Promise.resolve()
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** What must be read before a provider of the pool can be chosen: everything at first, later what others spent. */
  unread(pool: readonly string[]): Promise<void> | undefined {
    if (!this.#isLoaded) return this.ready()
    if (this.#time.monotonic() - this.#readAt <= STALE_MS) return undefined
    const isCapped =
      this.#providers.fleet.meter.isCapped || pool.some(id => this.#providers.get(id).quota.meter.isCapped)
    return isCapped ? this.flush() : undefined
  }

  /** Reads in the background what others spent, if the last time was a while ago. */
  refreshSpends(): void {
    if (this.#time.monotonic() - this.#readAt > FLUSH_MS && !this.#flushing) void this.flush()
  }

  /** Writes everything that is not written, then reads what others spent. */
  flush(): Promise<void> {
    const flushed = (this.#flushing ?? Promise.resolve()).then(() => this.#flush())
    this.#flushing = flushed
    void flushed.finally(() => {
      if (this.#flushing === flushed) this.#flushing = undefined
    })
    return flushed
  }

  /** Writes everything and stops listening to the store. */
  async dispose(): Promise<void> {
    this.#isDisposed = true
    this.#flushTimer.stop()
    this.#stopListening?.()
    await this.flush()
    await Promise.all([...this.#providers.cells()].map(cell => cell.written()))
  }

  /** Reads everything: nothing may be admitted before, or a block of yesterday would be forgotten. */
  async #load(): Promise<void> {
    // Not before the first question: a process that only submits need not watch the file.
    if (!this.#isDisposed) this.#stopListening ??= this.#store.onChange(keys => void this.#onChange(keys))
    for (const [key, state] of await this.#store.list('')) this.#providers.cellOf(key)?.load(state)
    await this.#readSpends()
    this.#isLoaded = true
  }

  async #flush(): Promise<void> {
    // Also where the store fails: it is asked again after a while, not again and again.
    this.#readAt = this.#time.monotonic()
    // A block that the store did not take would be known to no other process, and be lost with this one.
    const left = [...this.#providers.cells()].filter(cell => cell.isLeftUnwritten)
    await Promise.all(left.map(cell => cell.written()))
    const meters = [...this.#providers.meters()]
    const spends = meters.flatMap(meter => meter.leaving())
    try {
      if (spends.length > 0) await this.#store.add(spends)
    } catch (error) {
      for (const meter of meters) meter.notWritten()
      // Which also makes the timer flush again.
      this.#onProblem(error)
      return
    }
    for (const meter of meters) meter.written()
    try {
      await this.#readSpends()
      await this.#forget()
    } catch (error) {
      this.#onProblem(error)
    }
  }

  async #readSpends(): Promise<void> {
    const now = this.#time.now()
    this.#readAt = this.#time.monotonic()
    const meters = [...this.#providers.meters()].filter(meter => meter.isCapped)
    if (meters.length === 0) return
    const since = Math.min(...meters.map(meter => meter.since(now)))
    const spends = await this.#store.spent(
      meters.map(meter => meter.scope),
      since,
    )
    const byScope = Map.groupBy(spends, ({ scope }) => scope)
    for (const meter of meters) meter.load(byScope.get(meter.scope) ?? [])
  }

  async #forget(): Promise<void> {
    if (this.#time.monotonic() - this.#forgotAt < HOUR_MS) return
    this.#forgotAt = this.#time.monotonic()
    const now = this.#time.now()
    const needed = [...this.#providers.meters()].map(meter => meter.since(now))
    await this.#store.forget(Math.min(now - FORGET_MS, ...needed))
  }

  async #onChange(changed: readonly string[] | undefined): Promise<void> {
    try {
      const known = () => [...this.#providers.cells()].map(({ key }) => key)
      const keys = changed ?? [...(await this.#store.list('')).keys(), ...known()]
      await Promise.all([...new Set(keys)].map(key => this.#providers.cellOf(key)?.refresh()))
      this.#onRefreshed()
    } catch (error) {
      this.#onProblem(error)
    }
  }
}
