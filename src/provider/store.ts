/** A piece of provider state (a breaker, a block, a pause): JSON, and the version that a change must name. */
export interface StoredState {
  value: unknown
  /** Increases by one with every change; 0 means that it does not exist yet. */
  version: number
}

/** The result of a compare-and-set: written, or the state that another process wrote first. */
export type StoredChange = { written: true; version: number } | { written: false; current: StoredState }

/** What a scope (a provider, a quota, the fleet) used in the time bucket that begins at `at`. */
export interface Spend {
  scope: string
  /** Start of the bucket, in epoch milliseconds. Spends of one scope and bucket add up. */
  at: number
  usd: number
  tokens: number
  requests: number
}

/**
 * Keeps the health of providers, so that several calls and processes agree. Transitions are written at once by
 * compare-and-set; spends are added in batches. In memory for one process, in the ledger for several.
 */
export interface ProviderStore {
  /** All pieces of state whose key begins with `prefix`. */
  list(prefix: string): Promise<ReadonlyMap<string, StoredState>>
  /** One piece of state; version 0 and value undefined if it does not exist. */
  read(key: string): Promise<StoredState>
  /** Writes `value` if the version is still `version` (0 to create it). `undefined` deletes. Versions are never reused. */
  compareAndSet(key: string, version: number, value: unknown): Promise<StoredChange>
  /** Adds spends, all or none. */
  add(spends: readonly Spend[]): Promise<void>
  /** Spends of these scopes in buckets that begin at `since` or later, ordered by scope and bucket. */
  spent(scopes: readonly string[], since: number): Promise<readonly Spend[]>
  /** Deletes buckets that begin before `before`. */
  forget(before: number): Promise<void>
  /**
   * Calls back soon after state changed (between processes, within a second), with the keys if known. Returns a function
   * that stops it.
   */
  onChange(listener: (keys: readonly string[] | undefined) => void): () => void
}
