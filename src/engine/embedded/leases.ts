import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { toId } from '../../ledger/sqlite/rows.ts'
import type { Time } from '../../time/time.ts'

/** A row of the table of leases. */
export interface LeaseRow {
  operation: number
  run: number
  runner: string
  capability: string
  provider: string
  expires_at: number
  length_ms: number
  renewals: number
}

interface Sighting {
  run: number
  renewals: number
  /** On our own monotonic clock. */
  since: number
}

/** Between two looks at all leases, in milliseconds, at most; short leases are looked at more often. */
const LOOK_EVERY_MS = 1_000

/**
 * Who has claimed what, and for how long. A lease is lost when it has expired by the wall clock and has not changed for
 * its whole length on our own monotonic clock: a jump of the wall clock alone takes no lease away.
 */
export class Leases {
  readonly #time: Time
  readonly #insert: StatementSync
  readonly #renew: StatementSync
  readonly #delete: StatementSync
  readonly #all: StatementSync
  readonly #one: StatementSync
  readonly #byCapability: StatementSync
  readonly #byProvider: StatementSync
  #sightings = new Map<number, Sighting>()
  #lost: LeaseRow[] = []
  #lookAt = Number.NEGATIVE_INFINITY
  #nextLossAt: number | undefined

  constructor(db: DatabaseSync, time: Time) {
    this.#time = time
    this.#insert = db.prepare(`INSERT OR REPLACE INTO leases (operation, run, runner, capability, provider,
      expires_at, length_ms, renewals) VALUES (?, ?, ?, ?, ?, ?, ?, 0)`)
    this.#renew = db.prepare(`UPDATE leases SET expires_at = ? + length_ms, renewals = renewals + 1
      WHERE operation = ? AND run = ?`)
    this.#delete = db.prepare('DELETE FROM leases WHERE operation = ?')
    this.#all = db.prepare('SELECT * FROM leases')
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

  running(by: 'capability' | 'provider'): ReadonlyMap<string, number> {
    const rows = (by === 'capability' ? this.#byCapability : this.#byProvider).all()
    return new Map((rows as unknown as { name: string; n: number }[]).map(({ name, n }) => [name, n]))
  }

  /** Leases of others that are lost, and of this runner where it dropped the run, among these capabilities. */
  lost(runner: string, capabilities: ReadonlySet<string>, dropped?: ReadonlySet<string>): LeaseRow[] {
    this.#look()
    return this.#lost.filter(
      lease =>
        (lease.runner !== runner || dropped?.has(toId(lease.operation)) === true) &&
        capabilities.has(lease.capability) &&
        this.isUnchanged(lease),
    )
  }

  /** Whether a lease is still as it was when it was found lost. To be asked again in the transaction that takes it over. */
  isUnchanged(lease: LeaseRow): boolean {
    const now = this.#one.get(lease.operation) as unknown as LeaseRow | undefined
    return now?.run === lease.run && now.renewals === lease.renewals
  }

  /** When the next lease could be lost, epoch milliseconds; undefined without any. */
  get nextLossAt(): number | undefined {
    return this.#nextLossAt
  }

  #look(): void {
    const monotonic = this.#time.monotonic()
    if (monotonic < this.#lookAt) return
    const now = this.#time.now()
    const sightings = new Map<number, Sighting>()
    let shortest = LOOK_EVERY_MS
    let next: number | undefined
    this.#lost = []
    for (const lease of this.#all.all() as unknown as LeaseRow[]) {
      const before = this.#sightings.get(lease.operation)
      const same = before?.run === lease.run && before.renewals === lease.renewals
      const since = same ? before.since : monotonic
      sightings.set(lease.operation, { run: lease.run, renewals: lease.renewals, since })
      const byMonotonic = since + lease.length_ms - monotonic
      // No lease ends later than its length from now, unless the wall clock went back after it was written.
      const wentBack = lease.expires_at > now + lease.length_ms
      const byWall = wentBack ? 0 : lease.expires_at - now
      const left = Math.max(byMonotonic, byWall)
      if (left <= 0) this.#lost.push(lease)
      else next = Math.min(next ?? Infinity, now + left)
      shortest = Math.min(shortest, lease.length_ms / 4)
    }
    this.#sightings = sightings
    this.#nextLossAt = next
    this.#lookAt = monotonic + shortest
  }
}
