import type { Sql } from '../../ledger/postgres/sql.ts'
import { toId } from '../../ledger/row/rows.ts'
import type { Time } from '../../time/time.ts'
import { LeaseWatch, type WatchedLease } from '../lease-watch.ts'

/** The lease of a run, as its operation's row has it. */
export interface LeaseRow extends WatchedLease {
  runner: string
  capability: string
}

const LEASES = `SELECT id AS operation, run, coalesce(runner, '') AS runner, capability, coalesce(lease_until, 0) AS expires_at,
  coalesce(lease_ms, 0) AS length_ms, coalesce(renewals, 0) AS renewals FROM operations WHERE state = 'running'`

/** Who has claimed what, and for how long. */
export class Leases {
  readonly #watch: LeaseWatch<LeaseRow>

  constructor(time: Time) {
    this.#watch = new LeaseWatch(time)
  }

  /** When the next lease could be lost, epoch milliseconds; undefined without any. */
  get nextLossAt(): number | undefined {
    return this.#watch.nextLossAt
  }

  /** Leases of others that are lost, and of this runner where it dropped the run, among these capabilities. */
  async lost(
    sql: Sql,
    runner: string,
    capabilities: ReadonlySet<string>,
    dropped?: ReadonlySet<string>,
  ): Promise<LeaseRow[]> {
    if (this.#watch.isDue()) this.#watch.look(await sql.rows<LeaseRow>(LEASES))
    const wanted = this.#watch.lost.filter(
      lease =>
        (lease.runner !== runner || dropped?.has(toId(lease.operation)) === true) &&
        capabilities.has(lease.capability),
    )
    const found: LeaseRow[] = []
    for (const lease of wanted) if (await this.isUnchanged(sql, lease)) found.push(lease)
    return found
  }

  /** Whether a lease is still as it was when it was found lost. To be asked again in the transaction that takes it over. */
  async isUnchanged(sql: Sql, lease: LeaseRow): Promise<boolean> {
    const row = await sql.row(
      `SELECT 1 FROM operations WHERE id = $1 AND state = 'running' AND run = $2 AND coalesce(renewals, 0) = $3`,
      [lease.operation, lease.run, lease.renewals],
    )
    return row !== undefined
  }
}
