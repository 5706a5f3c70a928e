import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Fence } from '../../ledger/operation.ts'
import type { Time } from '../../time/time.ts'
import { LeaseWatch, mayTakeOver, type WatchedLease } from '../lease-watch.ts'

/** A row of the leases table. */
export interface LeaseRow extends WatchedLease {
  runner: string
  capability: string
  provider: string
}

/** Who has claimed what, and for how long. */
export class Leases {
  readonly #time: Time
  readonly #insert: StatementSync
  readonly #renew: StatementSync
  readonly #delete: StatementSync
  readonly #all: StatementSync
  readonly #first: StatementSync
  readonly #one: StatementSync
  readonly #byCapability: StatementSync
  readonly #byProvider: StatementSync
  readonly #watch: LeaseWatch<LeaseRow>

  constructor(db: DatabaseSync, time: Time) {
    this.#time = time
    this.#watch = new LeaseWatch(time)
    this.#insert = db.prepare(`INSERT OR REPLACE INTO leases (operation, run, runner, capability, provider,
      expires_at, length_ms, renewals) VALUES (?, ?, ?, ?, ?, ?, ?, 0)`)
    this.#renew = db.prepare(`UPDATE leases SET expires_at = ? + length_ms, renewals = renewals + 1
      WHERE operation = ? AND run = ?`)
    this.#delete = db.prepare('DELETE FROM leases WHERE operation = ?')
    this.#all = db.prepare('SELECT * FROM leases')
    this.#first = db.prepare('SELECT * FROM leases ORDER BY operation LIMIT ?')
    this.#one = db.prepare('SELECT * FROM leases WHERE operation = ?')
    this.#byCapability = db.prepare(
      'SELECT capability AS name, count(*) AS n FROM leases GROUP BY capability',
    )
    this.#byProvider = db.prepare('SELECT provider AS name, count(*) AS n FROM leases GROUP BY provider')
  }

  write(lease: Omit<LeaseRow, 'expires_at' | 'renewals'>): void {
    const { operation, run, runner, capability, provider, length_ms } = lease
    this.#insert.run(operation, run, runner, capability, provider, this.#time.now() + length_ms, length_ms)
  }

  renew(operation: number, run: number): void {
    this.#renew.run(this.#time.now(), operation, run)
  }

  end(operation: number): void {
    this.#delete.run(operation)
  }

  /** The leases of the oldest operations. */
  first(most: number): LeaseRow[] {
    return this.#first.all(most) as unknown as LeaseRow[]
  }

  running(by: 'capability' | 'provider'): ReadonlyMap<string, number> {
    const rows = (by === 'capability' ? this.#byCapability : this.#byProvider).all()
    return new Map((rows as unknown as { name: string; n: number }[]).map(({ name, n }) => [name, n]))
  }

  /** Lost leases of these capabilities that this runner may take over. */
  lost(runner: string, capabilities: ReadonlySet<string>, underWay?: Iterable<Fence>): LeaseRow[] {
    this.#look()
    if (this.#watch.lost.length === 0) return []
    const isTakeable = mayTakeOver(runner, underWay)
    return this.#watch.lost.filter(
      lease => isTakeable(lease) && capabilities.has(lease.capability) && this.isUnchanged(lease),
    )
  }

  /** Whether a lease is unchanged since it was found lost. Ask again in the transaction that takes it over. */
  isUnchanged(lease: LeaseRow): boolean {
    const now = this.#one.get(lease.operation) as unknown as LeaseRow | undefined
    return now?.run === lease.run && now.renewals === lease.renewals
  }

  /** When the next lease could be lost, epoch milliseconds; undefined if there are none. */
  get nextLossAt(): number | undefined {
    return this.#watch.nextLossAt
  }

  #look(): void {
    if (this.#watch.isDue()) this.#watch.look(this.#all.all() as unknown as LeaseRow[])
  }
}
