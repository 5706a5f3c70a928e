import type { ProviderStore, Spend, StoredChange, StoredState } from './store.ts'

/** The contents of a {@link MemoryStore}, as plain JSON. */
export interface StoreSnapshot {
  states: readonly { key: string; value: unknown; version: number }[]
  spends: readonly Spend[]
}

/** Provider state of one process. Copies what goes in and out, like a database. */
export class MemoryStore implements ProviderStore {
  readonly #states = new Map<string, StoredState>()
  readonly #spends = new Map<string, Spend>()
  readonly #listeners = new Set<(keys: readonly string[] | undefined) => void>()

  constructor(snapshot?: StoreSnapshot) {
    for (const { key, value, version } of snapshot?.states ?? [])
      this.#states.set(key, { value: structuredClone(value), version })
    for (const spend of snapshot?.spends ?? []) this.#add(spend)
  }

  async list(prefix: string): Promise<ReadonlyMap<string, StoredState>> {
    const found = [...this.#states].filter(
      ([key, { value }]) => key.startsWith(prefix) && value !== undefined,
    )
    return new Map(found.map(([key, state]) => [key, structuredClone(state)]))
  }

  async read(key: string): Promise<StoredState> {
    const state = this.#states.get(key)
    // A deleted key keeps its version, so that no version is used twice.
    return state ? structuredClone(state) : { value: undefined, version: 0 }
  }

  async compareAndSet(key: string, version: number, value: unknown): Promise<StoredChange> {
    const current = this.#states.get(key) ?? { value: undefined, version: 0 }
    if (current.version !== version) return { written: false, current: structuredClone(current) }
    this.#states.set(key, { value: structuredClone(value), version: version + 1 })
    this.#notify([key])
    return { written: true, version: version + 1 }
  }

  async add(spends: readonly Spend[]): Promise<void> {
    for (const spend of spends) this.#add(spend)
  }

  async spent(scopes: readonly string[], since: number): Promise<readonly Spend[]> {
    const wanted = new Set(scopes)
    return [...this.#spends.values()]
      .filter(({ scope, at }) => wanted.has(scope) && at >= since)
      .sort((a, b) => (a.scope < b.scope ? -1 : a.scope > b.scope ? 1 : a.at - b.at))
      .map(spend => ({ ...spend }))
  }

  async forget(before: number): Promise<void> {
    for (const [key, { at }] of this.#spends) if (at < before) this.#spends.delete(key)
  }

  onChange(listener: (keys: readonly string[] | undefined) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** The whole contents, for a file. */
  toJSON(): StoreSnapshot {
    return {
      states: [...this.#states].map(([key, { value, version }]) => ({
        key,
        value: structuredClone(value),
        version,
      })),
      spends: [...this.#spends.values()].map(spend => ({ ...spend })),
    }
  }

  #add({ scope, at, usd, tokens, requests }: Spend): void {
    const key = `${at} ${scope}`
    const spend = this.#spends.get(key)
    if (spend) {
      spend.usd += usd
      spend.tokens += tokens
      spend.requests += requests
    } else this.#spends.set(key, { scope, at, usd, tokens, requests })
  }

  #notify(keys: readonly string[]): void {
    queueMicrotask(() => {
      for (const listener of this.#listeners) listener(keys)
    })
  }
}
