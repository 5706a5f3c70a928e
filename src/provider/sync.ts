import type { Registry } from './registry.ts'
import type { ProviderStore } from './store.ts'
import type { Surroundings } from './surroundings.ts'

/** How long spends wait to be written together with others, and how old those of other processes may be. */
export const FLUSH_MS = 1_000

/** Spends of other processes that are older than this are read before a capped provider is asked again. */
export const STALE_MS = 10_000

/** Spends older than this, and than any window of ours, are forgotten: more than the longest month. */
const FORGET_MS = 40 * 86_400_000

/** Keeps cells and meters in step with a store that other processes share. */
export class Sync {
  readonly #store: ProviderStore
  readonly #surroundings: Surroundings
  readonly #registry: Registry
  readonly #onRefreshed: () => void
  #stopListening: (() => void) | undefined
  #cancelTimer: (() => void) | undefined
  #flushing: Promise<void> | undefined
  #readAt = -Infinity
  #forgotAt: number
  #isDisposed = false

  /** @param onRefreshed told when state of other processes came in */
  constructor(store: ProviderStore, surroundings: Surroundings, registry: Registry, onRefreshed: () => void) {
    this.#store = store
    this.#surroundings = surroundings
    this.#registry = registry
    this.#onRefreshed = onRefreshed
    // Who lives shorter than that leaves it to others: whoever only looks must not have to write.
    this.#forgotAt = surroundings.time.monotonic()
  }

  /** Reads everything: nothing may be admitted before, or a block of yesterday would be forgotten. */
  async load(): Promise<void> {
    // From the first question on: a process that never asks, because it only submits, need not watch the file.
    if (!this.#isDisposed) this.#stopListening ??= this.#store.onChange(keys => void this.#onChange(keys))
    for (const [key, state] of await this.#store.list('')) this.#registry.cellOf(key)?.load(state)
    await this.#readSpends()
  }

  /** Something was charged: it is written soon, together with what comes until then. */
  touch(): void {
    if (this.#isDisposed) return
    this.#cancelTimer ??= this.#surroundings.time.after(FLUSH_MS, () => {
      this.#cancelTimer = undefined
      void this.flush()
    })
  }

  /** Reads what others spent, if that was long ago; nobody waits for it. */
  glance(): void {
    if (this.#surroundings.time.monotonic() - this.#readAt > FLUSH_MS && !this.#flushing) void this.flush()
  }

  /** Whether nobody asked for so long that others may have spent what is left. */
  get isStale(): boolean {
    return this.#surroundings.time.monotonic() - this.#readAt > STALE_MS
  }

  /** Writes all that is not written. */
  flush(): Promise<void> {
    const flushed = (this.#flushing ?? Promise.resolve()).then(() => this.#flush())
    this.#flushing = flushed
    void flushed.finally(() => {
      if (this.#flushing === flushed) this.#flushing = undefined
    })
    return flushed
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true
    this.#cancelTimer?.()
    this.#stopListening?.()
    await this.flush()
    await Promise.all([...this.#registry.cells()].map(cell => cell.written()))
  }

  async #flush(): Promise<void> {
    // Also where the store fails: it is asked again after a while, not again and again.
    this.#readAt = this.#surroundings.time.monotonic()
    // A block that the store did not take would be known to nobody else, and be lost with this process.
    const left = [...this.#registry.cells()].filter(cell => cell.isLeftUnwritten)
    await Promise.all(left.map(cell => cell.written()))
    const meters = [...this.#registry.meters()]
    const spends = meters.flatMap(meter => meter.leaving())
    try {
      if (spends.length > 0) await this.#store.add(spends)
    } catch (error) {
      for (const meter of meters) meter.notWritten()
      this.#surroundings.problem(error)
      if (!this.#isDisposed) this.touch()
      return
    }
    for (const meter of meters) meter.written()
    try {
      await this.#readSpends()
      await this.#forget()
    } catch (error) {
      this.#surroundings.problem(error)
    }
  }

  async #readSpends(): Promise<void> {
    const now = this.#surroundings.time.now()
    this.#readAt = this.#surroundings.time.monotonic()
    const meters = [...this.#registry.meters()].filter(meter => meter.isCapped)
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
    const { time } = this.#surroundings
    if (time.monotonic() - this.#forgotAt < 3_600_000) return
    this.#forgotAt = time.monotonic()
    const now = time.now()
    const needed = [...this.#registry.meters()].map(meter => meter.since(now))
    await this.#store.forget(Math.min(now - FORGET_MS, ...needed))
  }

  async #onChange(changed: readonly string[] | undefined): Promise<void> {
    try {
      const keys = changed ?? [...(await this.#store.list('')).keys(), ...this.#known()]
      await Promise.all([...new Set(keys)].map(key => this.#registry.cellOf(key)?.refresh()))
      this.#onRefreshed()
    } catch (error) {
      this.#surroundings.problem(error)
    }
  }

  #known(): string[] {
    return [...this.#registry.cells()].map(({ key }) => key)
  }
}
