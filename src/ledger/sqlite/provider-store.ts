import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Spend, StoredChange } from '../../provider/store.ts'
import { pauseChange } from '../record/provider-access.ts'
import { type StateRow, StoredProviders, stateOf } from '../record/provider-state.ts'
import type { Records } from '../record/records.ts'
import type { Answers } from './answer.ts'
import type { ChangeNotice } from './change-notice.ts'
import type { Committer } from './committer.ts'

/** Health of providers in the ledger, shared by all processes. */
export class SqliteProviderStore extends StoredProviders {
  readonly #committer: Committer
  readonly #notice: ChangeNotice
  readonly #records: Records
  readonly #answers: Answers
  readonly #lastChange: StatementSync
  readonly #changes: StatementSync
  readonly #write: StatementSync
  readonly #add: StatementSync
  /** Counts writes of this connection to provider state: its other commits say nothing about providers. */
  #written = 0

  constructor(
    records: Records,
    db: DatabaseSync,
    committer: Committer,
    notice: ChangeNotice,
    answers: Answers,
  ) {
    super(records)
    this.#records = records
    this.#committer = committer
    this.#notice = notice
    this.#answers = answers
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
  }

  compareAndSet(key: string, version: number, value: unknown): Promise<StoredChange> {
    return this.#committer.write((): StoredChange => {
      const current = this.#answers.of(stateOf(key))
      if (current.version !== version) return { written: false, current }
      const next = version + 1
      const change = (this.#lastChange.get() as { change: number }).change + 1
      this.#written++
      this.#write.run(key, value === undefined ? null : JSON.stringify(value), next, change)
      this.#answers.of(pauseChange(key, current.value, value, this.#records.time.now()))
      return { written: true, version: next }
    })
  }

  add(spends: readonly Spend[]): Promise<void> {
    return this.#committer.write(() => {
      for (const { scope, at, usd, tokens, requests } of spends)
        this.#add.run(scope, at, usd, tokens, requests)
    })
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
