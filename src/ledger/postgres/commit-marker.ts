import { randomUUID } from 'node:crypto'
import type { PoolClient } from 'pg'
import type { Sql } from './sql.ts'

/**
 * A row that a transaction writes first, so that anyone can see later whether it committed. The server's own answer
 * (`pg_xact_status`) does not prove that: after a crash or a failover, the server assigns the same transaction ids again.
 */
export interface CommitMarker {
  /** The row; no two open transactions share one. */
  writer: string
  /** The row's value if this transaction has committed. */
  number: number
}

/**
 * Writes to one row before the next row is used. While a backup holds a long snapshot, the server must keep every version
 * of a row and search all of them for the newest.
 */
const MOST_WRITES = 1_000

/** Gives each transaction its marker: one row per connection, because transactions on the same row would wait for each other. */
export class CommitMarkers {
  readonly #last = new WeakMap<PoolClient, CommitMarker>()

  next(client: PoolClient): CommitMarker {
    const last = this.#last.get(client)
    const marker =
      last && last.number < MOST_WRITES
        ? { writer: last.writer, number: last.number + 1 }
        : { writer: randomUUID(), number: 1 }
    this.#last.set(client, marker)
    return marker
  }
}

/**
 * Statement that writes a marker and locks the number after which the transaction's events may appear; see
 * `settled-events.ts`. Parameters: writer, number, lock class.
 */
export const MARK = `WITH marked AS (INSERT INTO commits (writer, number) VALUES ($1, $2)
    ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at = excluded.at)
  SELECT pg_advisory_xact_lock_shared($3, (CASE WHEN is_called THEN last_value ELSE 0 END & 2147483647)::int) FROM numbers`

/** It writes the row too, because only a writer waits for a transaction that is still open. */
const READ = `INSERT INTO commits AS known (writer, number) VALUES ($1, 0)
  ON CONFLICT (writer) DO UPDATE SET at = known.at RETURNING number`

/** Whether a transaction committed; undefined while it is still open. */
export async function isCommitted(sql: Sql, marker: CommitMarker): Promise<boolean | undefined> {
  try {
    const row = await sql.row<{ number: number }>(READ, [marker.writer])
    return row?.number === marker.number
  } catch (error) {
    if (STILL_OPEN.has((error as { code?: string }).code ?? '')) return undefined
    throw error
  }
}

/** Error codes of the server for waiting too long for another transaction, or colliding with it. */
const STILL_OPEN: ReadonlySet<string> = new Set(['57014', '55P03', '40001', '40P01'])

/** Deletes markers that are too old to be asked about. Parameter: most rows. */
export const OLD_MARKERS = `DELETE FROM commits WHERE writer IN
  (SELECT writer FROM commits WHERE at < now() - interval '1 day' LIMIT $1)`
