import type { Fence } from '../ledger/operation.ts'
import { toId } from '../ledger/row/rows.ts'
import type { Time } from '../time/time.ts'

/** What is needed to decide whether a lease is lost. */
export interface WatchedLease {
  /** Number of the operation. */
  operation: number
  run: number
  /** Epoch milliseconds. */
  expires_at: number
  length_ms: number
  /** Number of renewals. */
  renewals: number
}

/** Tells whether a runner may take a lost lease over: one of another runner, or its own of a run that is not under way. */
export function mayTakeOver(
  runner: string,
  underWay: Iterable<Fence> | undefined,
): (lease: WatchedLease & { runner: string }) => boolean {
  const own = underWay && new Set([...underWay].map(({ id, run }) => `${id}/${run}`))
  return lease => lease.runner !== runner || own?.has(`${toId(lease.operation)}/${lease.run}`) === false
}

interface Sighting {
  run: number
  renewals: number
  /** On our own monotonic clock. */
  since: number
}

/** Longest time between two looks at all leases, in milliseconds; short leases are looked at more often. */
const LOOK_EVERY_MS = 1_000

/**
 * Decides which leases are lost: those that have expired by the wall clock, and have not changed for their whole length
 * on our own monotonic clock. A jump of the wall clock alone ends no lease.
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

  /** The leases that were lost at the last look. */
  get lost(): readonly Lease[] {
    return this.#lost
  }

  /** When the next lease could be lost, epoch milliseconds; undefined if there are none. */
  get nextLossAt(): number | undefined {
    return this.#nextLossAt
  }

  /** Looks at all existing leases. */
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
      // No lease can end later than its length from now, unless the wall clock went back after it was written.
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
