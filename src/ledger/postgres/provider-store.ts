import type { Spend, StoredChange } from '../../provider/store.ts'
import { pauseChange } from '../record/provider-access.ts'
import { type StateRow, StoredProviders, stateOf } from '../record/provider-state.ts'
import type { Records } from '../record/records.ts'
import { answer } from './answer.ts'
import type { ChangeNotice } from './change-notice.ts'
import type { Database } from './database.ts'

/** Stores provider health in the ledger, so that all hosts share it. */
export class PostgresProviderStore extends StoredProviders {
  readonly #database: Database
  readonly #notice: ChangeNotice
  readonly #records: Records
  #writes = 0

  constructor(records: Records, database: Database, notice: ChangeNotice) {
    super(records)
    this.#records = records
    this.#database = database
    this.#notice = notice
  }

  async compareAndSet(key: string, version: number, value: unknown): Promise<StoredChange> {
    const json = value === undefined ? null : JSON.stringify(value)
    const changed = await this.#database.transaction(async (sql): Promise<StoredChange> => {
      // A deleted cell keeps its row, so that its version keeps rising.
      const row = await sql.row<{ version: number; before: string | null }>(
        `INSERT INTO provider_state AS s (key, value, version, change) SELECT $1, $2, 1, nextval('changes')
          WHERE $3 = 0 OR EXISTS (SELECT 1 FROM provider_state WHERE key = $1)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = s.version + 1, change = excluded.change
          WHERE s.version = $3 RETURNING version, (SELECT value FROM provider_state WHERE key = $1) AS before`,
        [key, json, version],
      )
      if (!row) return { written: false, current: await answer(sql, stateOf(key)) }
      await answer(sql, pauseChange(key, row.before ?? undefined, value, this.#records.time.now()))
      return { written: true, version: row.version }
    })
    if (changed.written) {
      this.#writes++
      this.#notice.own()
    }
    return changed
  }

  async add(spends: readonly Spend[]): Promise<void> {
    if (spends.length === 0) return
    const of = (name: keyof Spend) => spends.map(spend => spend[name])
    await this.#database.transaction(sql =>
      sql.run(
        `INSERT INTO provider_spend AS s (scope, at, usd, tokens, requests)
         SELECT scope, at, sum(usd), sum(tokens), sum(requests) FROM unnest($1::text[], $2::bigint[], $3::float8[],
           $4::bigint[], $5::bigint[]) AS g(scope, at, usd, tokens, requests) GROUP BY scope, at ORDER BY scope, at
         ON CONFLICT (scope, at) DO UPDATE SET usd = s.usd + excluded.usd, tokens = s.tokens + excluded.tokens,
           requests = s.requests + excluded.requests`,
        [of('scope'), of('at'), of('usd'), of('tokens'), of('requests')],
      ),
    )
  }

  onChange(listener: (keys: readonly string[] | undefined) => void): () => void {
    let seen: number | undefined
    let isEnded = false
    let isLooking = false
    let again = false
    const look = async () => {
      try {
        if (seen === undefined) {
          const row = await this.#database.read(sql =>
            sql.row<{ last: number }>('SELECT coalesce(max(change), 0) AS last FROM provider_state'),
          )
          seen = row?.last ?? 0
          return
        }
        // Changes are numbered before they are committed, so recent ones are read again.
        const rows = await this.#database.read(sql =>
          sql.rows<StateRow>('SELECT key, change FROM provider_state WHERE change > $1 ORDER BY change', [
            (seen as number) - LOOKED_AT_AGAIN,
          ]),
        )
        const fresh = rows.filter(({ key, change }) => known.get(key) !== change)
        known.clear()
        for (const { key, change } of rows) known.set(key, change)
        seen = Math.max(seen, ...rows.map(({ change }) => change))
        if (fresh.length > 0 && !isEnded) listener(fresh.map(({ key }) => key))
      } catch {
        // The next full read gets the error and reports it.
        if (!isEnded) listener(undefined)
      }
    }
    const known = new Map<string, number>()
    const ask = async () => {
      again = true
      if (isLooking) return
      isLooking = true
      while (again && !isEnded) {
        again = false
        await look()
      }
      isLooking = false
    }
    void ask()
    let heard = this.#writes
    const stop = this.#notice.listen(own => {
      // Nearly all writes of this process are about operations, not providers.
      if (own && heard === this.#writes) return
      heard = this.#writes
      void ask()
    })
    return () => {
      isEnded = true
      stop()
    }
  }
}

/** How many changes back a read starts: they may have been numbered but not committed when later ones were seen. */
const LOOKED_AT_AGAIN = 10_000
