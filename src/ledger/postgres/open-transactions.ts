import type { Time } from '../../time/time.ts'
import type { Database } from './database.ts'

/** How long a transaction may keep readers of events waiting before it is reported, in milliseconds. */
const LONG_MS = 60_000

interface OpenRow {
  pid: number
  transaction: string
  role: string | null
  application: string | null
}

/** The holders of locks that mean: events may still appear after this number; see `settled-events.ts`. */
const OPEN = `SELECT l.pid, l.virtualtransaction AS transaction, a.usename AS role, nullif(a.application_name, '') AS application
  FROM pg_locks l LEFT JOIN pg_stat_activity a USING (pid) WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted
  AND l.classid = $1::bigint::oid AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/**
 * Finds transactions that submitted something and stay open: until they end, no reader sees later events. Their duration is
 * measured here, because the server shows it only to some roles.
 */
export class OpenTransactions {
  readonly #database: Database
  readonly #time: Time
  /** When each was first seen, on our monotonic clock; Infinity once reported. */
  #seen = new Map<string, number>()

  constructor(database: Database, time: Time) {
    this.#database = database
    this.#time = time
  }

  /** Reports each transaction that lasts too long, once. */
  async look(): Promise<void> {
    const rows = await this.#database.read(sql => sql.rows<OpenRow>(OPEN, [this.#database.lockClass]))
    const now = this.#time.monotonic()
    const seen = new Map<string, number>()
    for (const row of rows) {
      const name = `${row.pid} ${row.transaction}`
      const since = this.#seen.get(name) ?? now
      const isLong = now - since >= LONG_MS
      seen.set(name, isLong ? Infinity : since)
      if (isLong) this.#database.tell({ state: 'held_up', pid: row.pid, by: inWords(row) })
    }
    this.#seen = seen
  }
}

function inWords({ pid, role, application }: OpenRow): string {
  const more = [role && `role ${role}`, application && `application ${application}`].filter(Boolean)
  return `backend ${pid}${more.length > 0 ? ` (${more.join(', ')})` : ''}`
}
