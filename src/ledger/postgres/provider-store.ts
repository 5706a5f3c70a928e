import type { ProviderStore, Spend, StoredChange, StoredState } from '../../provider/store.ts'
import type { Time } from '../../time/time.ts'
import { pauseChange } from '../record/provider-access.ts'
import { answer } from './answer.ts'
import type { ChangeNotice } from './change-notice.ts'
import type { Database } from './database.ts'
import type { Sql } from './sql.ts'

interface StateRow {
  key: string
  value: string | null
  version: number
  change: number
}

/** Stores provider health in the ledger, so that all hosts share it. */
export class PostgresProviderStore implements ProviderStore {
  readonly #database: Database
  readonly #notice: ChangeNotice
  readonly #time: Time
  #writes = 0

  constructor(database: Database, notice: ChangeNotice, time: Time) {
    this.#database = database
    this.#notice = notice
    this.#time = time
  }

  async list(prefix: string): Promise<ReadonlyMap<string, StoredState>> {
    const rows = await this.#database.read(sql =>
      sql.rows<StateRow>(
        'SELECT * FROM provider_state WHERE value IS NOT NULL AND left(key, length($1)) = $1 ORDER BY key',
        [prefix],
      ),
    )
    return new Map(rows.map(row => [row.key, toState(row)]))
  }

  async read(key: string): Promise<StoredState> {
    return toState(await this.#database.read(sql => stateOf(sql, key)))
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
      if (!row) return { written: false, current: toState(await stateOf(sql, key)) }
      await answer(sql, pauseChange(key, row.before ?? undefined, value, this.#time.now()))
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

  async spent(scopes: readonly string[], since: number): Promise<readonly Spend[]> {
    return this.#database.read(sql =>
      sql.rows<Spend>(
        `SELECT scope, at, usd, tokens, requests FROM provider_spend WHERE scope = ANY($1::text[]) AND at >= $2
         ORDER BY scope, at`,
        [scopes, since],
      ),
    )
  }

  async forget(before: number): Promise<void> {
    await this.#database.transaction(sql => sql.run('DELETE FROM provider_spend WHERE at < $1', [before]))
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

function stateOf(sql: Sql, key: string): Promise<StateRow | undefined> {
  return sql.row<StateRow>('SELECT * FROM provider_state WHERE key = $1', [key])
}

/** A cell that never existed has version 0; a deleted one has the version that the next write must name. */
function toState(row: StateRow | undefined): StoredState {
  if (!row) return { value: undefined, version: 0 }
  return { value: row.value === null ? undefined : JSON.parse(row.value), version: row.version }
}
