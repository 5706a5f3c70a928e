import type { ProviderStore, Spend, StoredChange, StoredState } from '../../provider/store.ts'
import { type Asking, row, rows } from './asking.ts'
import type { Records } from './records.ts'

/** A row of the table provider_state. */
export interface StateRow {
  key: string
  /** JSON; null if the cell was deleted: its version continues to rise. */
  value: string | null
  version: number
  change: number
}

/**
 * Health of providers in the ledger, shared by all processes: what is read in the same way from both databases. They number
 * changes differently.
 */
export abstract class StoredProviders implements ProviderStore {
  readonly #records: Pick<Records, 'ask' | 'write'>

  constructor(records: Pick<Records, 'ask' | 'write'>) {
    this.#records = records
  }

  abstract compareAndSet(key: string, version: number, value: unknown): Promise<StoredChange>
  abstract add(spends: readonly Spend[]): Promise<void>
  abstract onChange(listener: (keys: readonly string[] | undefined) => void): () => void

  list(prefix: string): Promise<ReadonlyMap<string, StoredState>> {
    return this.#records.ask(() => statesOf(prefix))
  }

  read(key: string): Promise<StoredState> {
    return this.#records.ask(() => stateOf(key))
  }

  spent(scopes: readonly string[], since: number): Promise<readonly Spend[]> {
    return this.#records.ask(() => spentBy(scopes, since))
  }

  async forget(before: number): Promise<void> {
    await this.#records.write(() => rows('DELETE FROM provider_spend WHERE at < $1', before))
  }
}

export function* stateOf(key: string): Asking<StoredState> {
  return toState(yield* row<StateRow>('SELECT * FROM provider_state WHERE key = $1', key))
}

/** A cell that does not exist has version 0; a deleted one has the version that a new write must name. */
function toState(row: StateRow | undefined): StoredState {
  if (!row) return { value: undefined, version: 0 }
  return { value: row.value === null ? undefined : JSON.parse(row.value), version: row.version }
}

function* statesOf(prefix: string): Asking<Map<string, StoredState>> {
  const found = yield* rows<StateRow>(
    'SELECT * FROM provider_state WHERE value IS NOT NULL AND substr(key, 1, length($1)) = $1 ORDER BY key',
    prefix,
  )
  return new Map(found.map(row => [row.key, toState(row)]))
}

function* spentBy(scopes: readonly string[], since: number): Asking<Spend[]> {
  const found = yield* rows<Spend>(
    `SELECT scope, at, usd, tokens, requests FROM provider_spend WHERE scope = ANY($1::text[]) AND at >= $2
     ORDER BY scope, at`,
    scopes,
    since,
  )
  // Plain objects: rows of SQLite have no prototype.
  return found.map(row => ({ ...row }))
}
