import type { Time } from '../../time/time.ts'
import { LedgerError } from '../error.ts'
import type { Inserted } from '../ledger.ts'
import { KEY_RETENTION_DEFAULT_MS, type NewOperation } from '../operation.ts'
import { checkOperation, hashOf } from '../row/new-operation.ts'
import { toId } from '../row/rows.ts'
import { Collision } from './collision.ts'
import { type Sql, storable } from './sql.ts'

interface KeyRow {
  capability: string
  key: string
  operation: number
  params_hash: string
  due_at: number | null
  ended_at: number | null
  key_retention_ms: number
  state: string | null
  /** Set if the key was taken in SQL, which cannot compute the hash. */
  params: string | null
}

/** A new operation to be inserted, and the row that its key had before. */
interface Pending {
  operation: NewOperation
  place: number
  hash: string
  was?: KeyRow | undefined
}

const COLUMNS = `capability, params, provider, providers, rank, due_at, key, key_retention_ms, session, source, context,
  max_retries, retry_for_ms, trace`

/** Takes one list of values per column, so one statement inserts any number of operations. */
const INSERT = `INSERT INTO operations (id, ${COLUMNS}, state, since, waiting, mode, created_at, updated_at, last_event)
  SELECT n, ${COLUMNS}, 'scheduled', $1, 'first', 'again', $1, $1, n FROM (SELECT nextval('numbers') AS n, g.* FROM
    unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::bigint[], $8::text[], $9::bigint[], $10::text[],
      $11::text[], $12::text[], $13::int[], $14::bigint[], $15::text[]) AS g(${COLUMNS})) AS numbered
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
        if (own.hash !== hash) throw conflict(capability, key, 'one submitted with it')
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
    const rows = pending.map(({ operation }) => valuesOf(operation, now))
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
    const rows = await this.#sql.rows<KeyRow>(
      `SELECT k.capability, k.key, k.operation, k.params_hash, o.due_at, o.ended_at, o.key_retention_ms, o.state,
         CASE k.params_hash WHEN '' THEN o.params END AS params FROM unnest($1::text[], $2::text[]) AS g(capability, key)
       JOIN keys k USING (capability, key) LEFT JOIN operations o ON o.id = k.operation`,
      asked,
    )
    return new Map(rows.map(row => [nameOf(row.capability, row.key), row]))
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

function valuesOf(operation: NewOperation, now: number): unknown[] {
  const { capability, providers = [], priority = 0, key } = operation
  return [
    capability,
    operation.paramsText ?? JSON.stringify(operation.params ?? null),
    providers.length === 1 ? providers[0] : '',
    providers.length > 1 ? JSON.stringify(providers) : null,
    0 - priority,
    operation.dueAt ?? now,
    key ?? null,
    key === undefined ? null : (operation.keyRetentionMs ?? KEY_RETENTION_DEFAULT_MS),
    operation.session ?? null,
    operation.source ?? 'submit',
    operation.context === undefined ? null : JSON.stringify(operation.context),
    operation.maxRetries ?? null,
    operation.retryForMs ?? null,
    operation.trace === undefined ? null : JSON.stringify(operation.trace),
  ]
}

/** The operation that a key belongs to, unless its retention is over. */
function standing(row: KeyRow, hash: string, now: number): Inserted | undefined {
  if (row.state === null) return undefined
  if (row.ended_at !== null && row.ended_at + row.key_retention_ms < now) return undefined
  const theirs = row.params === null ? row.params_hash : hashOf(JSON.parse(row.params))
  if (theirs !== hash) throw conflict(row.capability, row.key, toId(row.operation))
  return { id: toId(row.operation), created: false, dueAt: row.due_at as number }
}

function conflict(capability: string, key: string, other: string): LedgerError {
  return new LedgerError(
    'key_conflict',
    `the key ${JSON.stringify(key)} of ${capability} belongs to ${other}, which has other parameters`,
  )
}

function nameOf(capability: string, key: string): string {
  return JSON.stringify([capability, storable(key)])
}
