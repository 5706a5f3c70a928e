import type { Registry } from './registry.ts'
import type { Surroundings } from './surroundings.ts'
import { Sync } from './sync.ts'

/** What a health shares with other processes through a store; without one there is nothing to wait for. */
export class SharedState {
  readonly #registry: Registry
  readonly #sync: Sync | undefined
  #isLoaded = false
  #loading: Promise<void> | undefined

  /** @param onRefreshed told when state of other processes came in */
  constructor(surroundings: Surroundings, registry: Registry, onRefreshed: () => void) {
    const { store } = surroundings
    this.#registry = registry
    if (!store) return
    this.#sync = new Sync(store, surroundings, registry, onRefreshed)
  }

  /** Settles when what is stored is known. */
  async ready(): Promise<void> {
    if (this.#sync && !this.#isLoaded) await this.#load(this.#sync)
  }

  /** What has to be read before anybody can be chosen: everything at first, and after a pause what others spent. */
  unread(pool: readonly string[]): Promise<void> | undefined {
    if (!this.#sync) return undefined
    if (!this.#isLoaded) return this.#load(this.#sync)
    if (!this.#sync.isStale) return undefined
    const isCapped =
      this.#registry.fleet.meter.isCapped || pool.some(id => this.#registry.provider(id).quota.meter.isCapped)
    return isCapped ? this.#sync.flush() : undefined
  }

  /** Reads what others spent, if that was long ago; nobody waits for it. */
  glance(): void {
    this.#sync?.glance()
  }

  /** Something changed: it is written soon, together with what comes until then. */
  touch(): void {
    this.#sync?.touch()
  }

  /** Writes all that is not written. */
  async flush(): Promise<void> {
    await this.#sync?.flush()
  }

  /** Writes all that is not written, and listens no more. */
  async dispose(): Promise<void> {
    await this.#sync?.dispose()
  }

  /** What is stored; asked for again by the next call where the store failed. */
  #load(sync: Sync): Promise<void> {
    this.#loading ??= sync
      .load()
      .then(() => {
        this.#isLoaded = true
      })
      .finally(() => {
        this.#loading = undefined
      })
    return this.#loading
  }
}
