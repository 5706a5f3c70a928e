import type { Fence } from '../../ledger/operation.ts'
import type { Sql } from '../../ledger/postgres/sql.ts'
import type { Time } from '../../time/time.ts'
import { LeaseWatch, mayTakeOver, type WatchedLease } from '../lease-watch.ts'

/** The lease of a run, from its operation's row. */
export interface LeaseRow extends WatchedLease {
  runner: string
  capability: string
}

const LEASES = `SELECT id AS operation, run, coalesce(runner, '') AS runner, capability, coalesce(lease_until, 0) AS expires_at,
  coalesce(lease_ms, 0) AS length_ms, coalesce(renewals, 0) AS renewals FROM operations WHERE state = 'running'`

/** The leases of the oldest operations. */
export function leasesOf(sql: Sql, most: number): Promise<LeaseRow[]> {
  return sql.rows<LeaseRow>(`${LEASES} ORDER BY id LIMIT $1`, [most])
}

/** Which runner has claimed which run, and for how long. */
export class Leases {
  readonly #watch: LeaseWatch<LeaseRow>

  constructor(time: Time) {
    this.#watch = new LeaseWatch(time)
  }

  /** Whether no lease is known to be lost, now that all were looked at when it was time to. */
  async areKept(sql: Sql): Promise<boolean> {
    await this.#look(sql)
    return this.#watch.lost.length === 0
  }

  /** When the next lease could be lost, epoch milliseconds; undefined without leases. */
  get nextLossAt(): number | undefined {
    return this.#watch.nextLossAt
  }

  /** Lost leases of these capabilities that this runner may take over. */
  async lost(
    sql: Sql,
    runner: string,
    capabilities: ReadonlySet<string>,
    underWay?: Iterable<Fence>,
  ): Promise<LeaseRow[]> {
    await this.#look(sql)
    if (this.#watch.lost.length === 0) return []
    const isTakeable = mayTakeOver(runner, underWay)
    const wanted = this.#watch.lost.filter(lease => isTakeable(lease) && capabilities.has(lease.capability))
    const found: LeaseRow[] = []
    for (const lease of wanted) if (await isStill(sql, lease)) found.push(lease)
    return found
  }

  async #look(sql: Sql): Promise<void> {
    if (this.#watch.isDue()) this.#watch.look(await sql.rows<LeaseRow>(LEASES))
  }

  /**
   * Call it in the transaction that takes a lease over. Returns whether the lease is unchanged since it was found lost, and
   * locks it: no other runner takes it over, and its owner cannot renew it. Returns false if one of them is already doing so.
   */
  lock(sql: Sql, lease: LeaseRow): Promise<boolean> {
    return isStill(sql, lease, 'FOR UPDATE SKIP LOCKED')
  }
}

async function isStill(sql: Sql, lease: LeaseRow, lock = ''): Promise<boolean> {
  const row = await sql.row(
    `SELECT 1 FROM operations WHERE id = $1 AND state = 'running' AND run = $2 AND coalesce(renewals, 0) = $3 ${lock}`,
    [lease.operation, lease.run, lease.renewals],
  )
  return row !== undefined
}
