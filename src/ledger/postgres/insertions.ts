import type { Time } from '../../time/time.ts'
import { Collision } from '../collision.ts'
import type { Inserted } from '../ledger.ts'
import type { NewOperation } from '../operation.ts'
import {
  checkOperation,
  hashOf,
  type KeyRow,
  keyConflict,
  NEW_COLUMNS,
  newOperationValues,
  SUBMITTED_WITH_IT,
  standing,
} from '../row/new-operation.ts'
import { toId } from '../row/rows.ts'
import { type Sql, storable } from './sql.ts'

/** A new operation to be inserted, and the row that its key had before. */
interface Pending {
  operation: NewOperation
  place: number
  hash: string
  was?: KeyRow | undefined
}

/** Takes one list of values per column, so one statement inserts any number of operations. */
const INSERT = `INSERT INTO operations (id, ${NEW_COLUMNS}, state, since, waiting, mode, created_at, updated_at, last_event)
  SELECT n, ${NEW_COLUMNS}, 'scheduled', $1, 'first', 'again', $1, $1, n FROM (SELECT nextval('numbers') AS n, g.* FROM
    unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::bigint[], $7::text[], $8::bigint[], $9::text[],
      $10::text[], $11::text[], $12::int[], $13::bigint[], $14::text[]) AS g(${NEW_COLUMNS})) AS numbered
  RETURNING id`

/** Inserts new operations. */
export class Insertions {
  readonly #sql: Sql
  readonly #time: Time

  constructor(sql: Sql, time: Time) {
    this.#sql = sql
    this.#time = time
  }

  async insert(operations: readonly NewOperation[]): Promise<Inserted[]> {
    for (const operation of operations) checkOperation(operation)
    const now = this.#time.now()
    const keys = await this.#keys(operations)
    const inserted: Inserted[] = []
    const pending: Pending[] = []
    /** Operations that have the same key as an earlier one in the same call. */
    const twice: { place: number; of: Pending }[] = []
    operations.forEach((operation, place) => {
      const { capability, key, params } = operation
      if (key === undefined) {
        pending.push({ operation, place, hash: '' })
        return
      }
      const hash = hashOf(params)
      const name = nameOf(capability, key)
      const own = pending.find(({ operation: of }) => of.key === key && of.capability === capability)
      if (own) {
        if (own.hash !== hash) throw keyConflict(capability, key, SUBMITTED_WITH_IT)
        twice.push({ place, of: own })
        return
      }
      const row = keys.get(name)
      const existing = row && standing(row, hash, now)
      if (existing) inserted[place] = existing
      else pending.push({ operation, place, hash, was: row })
    })
    await this.#write(pending, now, inserted)
    for (const { place, of } of twice)
      inserted[place] = { ...(inserted[of.place] as Inserted), created: false }
    return inserted
  }

  async #write(pending: readonly Pending[], now: number, inserted: Inserted[]): Promise<void> {
    if (pending.length === 0) return
    const rows = pending.map(({ operation }) => newOperationValues(operation, now))
    const columns = rows[0]?.map((_, column) => rows.map(row => row[column])) ?? []
    const ids = await this.#sql.rows<{ id: number }>(INSERT, [now, ...columns])
    const providers: string[] = []
    const served: number[] = []
    const keyed: { pending: Pending; id: number }[] = []
    pending.forEach((each, index) => {
      const { id } = ids[index] as { id: number }
      const { operation, place } = each
      for (const provider of new Set(operation.providers)) {
        providers.push(provider)
        served.push(id)
      }
      if (operation.key !== undefined) keyed.push({ pending: each, id })
      inserted[place] = { id: toId(id), created: true, dueAt: operation.dueAt ?? now }
    })
    if (served.length > 0)
      await this.#sql.run(
        'INSERT INTO operation_providers (provider, operation) SELECT * FROM unnest($1::text[], $2::bigint[])',
        [providers, served],
      )
    if (keyed.length > 0) await this.#setKeys(keyed)
  }

  /** The current rows of the keys, locked. */
  async #keys(operations: readonly NewOperation[]): Promise<Map<string, KeyRow>> {
    const keyed = operations.filter(({ key }) => key !== undefined)
    if (keyed.length === 0) return new Map()
    const asked = [keyed.map(({ capability }) => capability), keyed.map(({ key }) => key)]
    // Locks first, then reads with a separate statement that is sent at once: a statement that waited for a lock sees the
    // key's new row, but joined operations as they were before the wait.
    this.#sql.send(
      `SELECT 1 FROM unnest($1::text[], $2::text[]) AS g(capability, key) JOIN keys k USING (capability, key)
       ORDER BY k.capability, k.key FOR UPDATE OF k`,
      asked,
    )
    const rows = await this.#sql.rows<KeyRow & { params: string | null }>(
      `SELECT k.capability, k.key, k.operation, k.params_hash, o.due_at, o.ended_at, o.key_retention_ms, o.state,
         CASE k.params_hash WHEN '' THEN o.params END AS params FROM unnest($1::text[], $2::text[]) AS g(capability, key)
       JOIN keys k USING (capability, key) LEFT JOIN operations o ON o.id = k.operation`,
      asked,
    )
    return new Map(
      rows.map(({ params, ...row }) => {
        // A key that was taken in SQL has no hash, which SQL cannot compute.
        const params_hash = params === null ? row.params_hash : hashOf(JSON.parse(params))
        return [nameOf(row.capability, row.key), { ...row, params_hash }]
      }),
    )
  }

  /** If another transaction took one of the keys meanwhile, this one is repeated and finds that key. */
  async #setKeys(keyed: readonly { pending: Pending; id: number }[]): Promise<void> {
    const written = await this.#sql.run(
      `INSERT INTO keys AS k (capability, key, operation, params_hash)
       SELECT capability, key, operation, hash FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
         AS g(capability, key, operation, hash) ORDER BY capability, key
       ON CONFLICT (capability, key) DO UPDATE SET operation = excluded.operation, params_hash = excluded.params_hash
       WHERE k.operation = ANY($5::bigint[])`,
      [
        keyed.map(({ pending }) => pending.operation.capability),
        keyed.map(({ pending }) => pending.operation.key),
        keyed.map(({ id }) => id),
        keyed.map(({ pending }) => pending.hash),
        keyed.flatMap(({ pending }) => pending.was?.operation ?? []),
      ],
    )
    if (written < keyed.length) throw new Collision('another transaction took the key')
  }
}

function nameOf(capability: string, key: string): string {
  return JSON.stringify([capability, storable(key)])
}
