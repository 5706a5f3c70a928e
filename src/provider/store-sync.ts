import type { Time } from '../time/time.ts'
import { FLUSH_MS, type FlushTimer } from './flush-timer.ts'
import type { Providers } from './providers.ts'
import type { ProviderStore } from './store.ts'

/** Other processes' spending older than this, in milliseconds, is read again before a capped provider is chosen. */
export const STALE_MS = 10_000

/** Spending older than this, and than all our windows, is deleted: longer than any month. In milliseconds. */
const FORGET_MS = 40 * 86_400_000

/** Longest that a call waits for others' spending, in milliseconds. */
const LONGEST_READ_MS = 1_000

const HOUR_MS = 3_600_000

/** Keeps cells and meters in sync with a store that other processes share. */
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
  /** Whether the store took longer than a call should wait, and has not answered since. */
  #isSilent = false

  /** @param onRefreshed called when changes of other processes arrive */
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
    // Processes that live less than an hour leave this to others: one that only reads must not have to write.
    this.#forgotAt = time.monotonic()
    flushTimer.listen(() => void this.flush())
  }

  /** Settles when everything stored is loaded. A failed load is retried by the next call. */
  ready(): Promise<void> {
    if (this.#isLoaded) return Promise.resolve()
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined
    })
    return this.#loading
  }

  /** Loads what must be read before choosing a provider of the pool: everything at first, later others' spending. */
  unread(pool: readonly string[]): Promise<void> | undefined {
    if (!this.#isLoaded) return this.ready()
    if (this.#time.monotonic() - this.#readAt <= STALE_MS) return undefined
    const isCapped =
      this.#providers.fleet.meter.isCapped ||
      pool.some(id => this.#providers.get(id).quota.windows.meter.isCapped)
    return isCapped ? this.#answerSoon() : undefined
  }

  /** A store that is away must not keep calls waiting: they go by what was read last until it answers again. */
  #answerSoon(): Promise<void> | undefined {
    if (this.#isSilent) {
      if (!this.#flushing) void this.flush()
      return undefined
    }
    const flushed = this.flush()
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#time.after(LONGEST_READ_MS, () => {
      this.#isSilent = true
      resolve()
    })
    void flushed.finally(() => {
      cancel()
      resolve()
    })
    return promise
  }

  /** Reads others' spending in the background, if the last time was a while ago. */
  refreshSpends(): void {
    if (this.#time.monotonic() - this.#readAt > FLUSH_MS && !this.#flushing) void this.flush()
  }

  /** Writes everything not written yet, then reads others' spending. */
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

  /** Loads everything. Nothing may be admitted before, or yesterday's block would be ignored. */
  async #load(): Promise<void> {
    // Starts with the first question: a process that only submits need not watch the file.
    if (!this.#isDisposed) this.#stopListening ??= this.#store.onChange(keys => void this.#onChange(keys))
    for (const [key, state] of await this.#store.list('')) this.#providers.cellOf(key)?.load(state)
    await this.#readSpends()
    this.#isLoaded = true
  }

  async #flush(): Promise<void> {
    // Set even if the store fails, so it is asked again after a while, not continuously.
    this.#readAt = this.#time.monotonic()
    // A block that the store did not accept would be unknown to other processes, and lost with this one.
    const left = [...this.#providers.cells()].filter(cell => cell.isLeftUnwritten)
    await Promise.all(left.map(cell => cell.written()))
    const meters = [...this.#providers.meters()]
    const spends = meters.flatMap(meter => meter.leaving())
    try {
      if (spends.length > 0) await this.#store.add(spends)
    } catch (error) {
      for (const meter of meters) meter.notWritten()
      // This also makes the timer flush again.
      this.#onProblem(error)
      return
    }
    for (const meter of meters) meter.written()
    try {
      await this.#readSpends()
      this.#isSilent = false
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
