import type { Time } from '../time/time.ts'

/** What has to be known of a lease to tell whether it is lost. */
export interface WatchedLease {
  /** Number of the operation. */
  operation: number
  run: number
  /** Epoch milliseconds. */
  expires_at: number
  length_ms: number
  /** How often it was renewed. */
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
 * Tells which leases are lost: those that have expired by the wall clock and have not changed for their whole length on our
 * own monotonic clock. A jump of the wall clock alone takes no lease away.
 */
export class LeaseWatch<Lease extends WatchedLease> {
  readonly #time: Time
  #sightings = new Map<number, Sighting>()
  #lost: Lease[] = []
  #lookAt = Number.NEGATIVE_INFINITY
  #nextLossAt: number | undefined

  constructor(time: Time) {
    this.#time = time
  }

  /** Whether it is time to look again. */
  isDue(): boolean {
    return this.#time.monotonic() >= this.#lookAt
  }

  /** Those that were lost at the last look. */
  get lost(): readonly Lease[] {
    return this.#lost
  }

  /** When the next lease could be lost, epoch milliseconds; undefined without any. */
  get nextLossAt(): number | undefined {
    return this.#nextLossAt
  }

  /** Looks at all leases there are. */
  look(leases: readonly Lease[]): void {
    const monotonic = this.#time.monotonic()
    const now = this.#time.now()
    const sightings = new Map<number, Sighting>()
    let shortest = LOOK_EVERY_MS
    let next: number | undefined
    this.#lost = []
    for (const lease of leases) {
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
