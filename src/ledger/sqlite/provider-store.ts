import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ProviderStore, Spend, StoredChange, StoredState } from '../../provider/store.ts'
import type { Time } from '../../time/time.ts'
import { pauseChange } from '../record/provider-access.ts'
import type { Answers } from './answer.ts'
import type { ChangeNotice } from './change-notice.ts'
import type { Committer } from './committer.ts'

interface StateRow {
  key: string
  value: string | null
  version: number
  change: number
}

/** Health of providers in the ledger, shared by all processes. */
export class SqliteProviderStore implements ProviderStore {
  readonly #db: DatabaseSync
  readonly #committer: Committer
  readonly #notice: ChangeNotice
  readonly #time: Time
  readonly #answers: Answers
  readonly #list: StatementSync
  readonly #read: StatementSync
  readonly #lastChange: StatementSync
  readonly #changes: StatementSync
  readonly #write: StatementSync
  readonly #add: StatementSync
  readonly #forget: StatementSync
  /** Counts writes of this connection to provider state: its other commits say nothing about providers. */
  #written = 0

  constructor(db: DatabaseSync, committer: Committer, notice: ChangeNotice, time: Time, answers: Answers) {
    this.#db = db
    this.#committer = committer
    this.#notice = notice
    this.#time = time
    this.#answers = answers
    this.#list = db.prepare(
      'SELECT * FROM provider_state WHERE value IS NOT NULL AND substr(key, 1, length(?1)) = ?1 ORDER BY key',
    )
    this.#read = db.prepare('SELECT * FROM provider_state WHERE key = ?')
    this.#lastChange = db.prepare('SELECT coalesce(max(change), 0) AS change FROM provider_state')
    this.#changes = db.prepare('SELECT key, change FROM provider_state WHERE change > ? ORDER BY change')
    // A deleted cell keeps its row, so that its version continues to rise.
    this.#write = db.prepare(
      'INSERT OR REPLACE INTO provider_state (key, value, version, change) VALUES (?, ?, ?, ?)',
    )
    this.#add =
      db.prepare(`INSERT INTO provider_spend (scope, at, usd, tokens, requests) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (scope, at) DO UPDATE SET usd = usd + excluded.usd, tokens = tokens + excluded.tokens,
      requests = requests + excluded.requests`)
    this.#forget = db.prepare('DELETE FROM provider_spend WHERE at < ?')
  }

  async list(prefix: string): Promise<ReadonlyMap<string, StoredState>> {
    const rows = this.#list.all(prefix) as unknown as StateRow[]
    return new Map(rows.map(row => [row.key, toState(row)]))
  }

  async read(key: string): Promise<StoredState> {
    return toState(this.#read.get(key) as unknown as StateRow | undefined)
  }

  compareAndSet(key: string, version: number, value: unknown): Promise<StoredChange> {
    return this.#committer.write((): StoredChange => {
      const row = this.#read.get(key) as unknown as StateRow | undefined
      const current = toState(row)
      if (current.version !== version) return { written: false, current }
      const next = (row?.version ?? 0) + 1
      const change = (this.#lastChange.get() as { change: number }).change + 1
      this.#written++
      this.#write.run(key, value === undefined ? null : JSON.stringify(value), next, change)
      this.#answers.of(pauseChange(key, current.value, value, this.#time.now()))
      return { written: true, version: next }
    })
  }

  add(spends: readonly Spend[]): Promise<void> {
    return this.#committer.write(() => {
      for (const { scope, at, usd, tokens, requests } of spends)
        this.#add.run(scope, at, usd, tokens, requests)
    })
  }

  async spent(scopes: readonly string[], since: number): Promise<readonly Spend[]> {
    const marks = scopes.map(() => '?').join(', ')
    return this.#db
      .prepare(
        `SELECT scope, at, usd, tokens, requests FROM provider_spend WHERE scope IN (${marks}) AND at >= ?
         ORDER BY scope, at`,
      )
      .all(...scopes, since)
      .map(row => ({ ...row })) as unknown as Spend[]
  }

  forget(before: number): Promise<void> {
    return this.#committer.write(() => void this.#forget.run(before))
  }

  onChange(listener: (keys: readonly string[] | undefined) => void): () => void {
    let seen = (this.#lastChange.get() as { change: number }).change
    let written = this.#written
    return this.#notice.listen(own => {
      if (own && written === this.#written) return
      written = this.#written
      let rows: StateRow[]
      try {
        rows = this.#changes.all(seen) as unknown as StateRow[]
      } catch {
        // The next full read gets the error and reports it.
        listener(undefined)
        return
      }
      if (rows.length === 0) return
      seen = Math.max(...rows.map(({ change }) => change))
      listener(rows.map(({ key }) => key))
    })
  }
}

/** A cell that does not exist has version 0; a deleted one has the version that a new write must name. */
function toState(row: StateRow | undefined): StoredState {
  if (!row) return { value: undefined, version: 0 }
  return { value: row.value === null ? undefined : JSON.parse(row.value), version: row.version }
}
