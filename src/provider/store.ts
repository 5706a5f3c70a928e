/** A piece of provider state (a breaker, a block, a pause): JSON, and the version that a change has to name. */
export interface StoredState {
  value: unknown
  /** Goes up by one with every change; 0 means "not there yet". */
  version: number
}

/** What a compare-and-set did: written, or another process was faster and wrote this. */
export type StoredChange = { written: true; version: number } | { written: false; current: StoredState }

/** What was used up by a scope (a provider, a quota, the fleet) in the bucket of time that begins at `at`. */
export interface Spend {
  scope: string
  /** Epoch milliseconds at which the bucket begins; spends of one scope and bucket add up. */
  at: number
  usd: number
  tokens: number
  requests: number
}

/**
 * Where the health of providers is kept, so that several calls, and several processes, agree. Transitions go by
 * compare-and-set at once; spends are added in batches. In memory for one process, in the ledger for several.
 */
export interface ProviderStore {
  /** All pieces of state whose key begins with `prefix`. */
  list(prefix: string): Promise<ReadonlyMap<string, StoredState>>
  /** One piece; version 0 and value undefined if it is not there. */
  read(key: string): Promise<StoredState>
  /** Writes `value` if the version is still `version` (0 to create it). `undefined` deletes; versions are never reused. */
  compareAndSet(key: string, version: number, value: unknown): Promise<StoredChange>
  /** Adds spends, all or none of them. */
  add(spends: readonly Spend[]): Promise<void>
  /** Spends of the scopes in buckets that begin at `since` or later, in order of scope and bucket. */
  spent(scopes: readonly string[], since: number): Promise<readonly Spend[]>
  /** Forgets buckets that begin before `before`. */
  forget(before: number): Promise<void>
  /** Calls back soon (within a second between processes) after state changed, with the keys if they are known. Returns the function that ends it. */
  onChange(listener: (keys: readonly string[] | undefined) => void): () => void
}
