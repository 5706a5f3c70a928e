import { Cell } from './cell.ts'
import { keys, scopes } from './keys.ts'
import { Meter } from './meter.ts'
import type { Reading } from './reading.ts'
import { type Refusal, refusedByFleet } from './refusal.ts'
import type { Cap, FleetCeiling } from './settings.ts'
import type { Surroundings } from './surroundings.ts'

/** What all providers cost together. */
export class Fleet {
  readonly meter: Meter
  /** There while the ceiling is reached, so that reaching and rolling are each told once, by one process. */
  readonly reached: Cell<Reading>

  constructor({ dayUsd, monthUsd, timeZone: zone = 'UTC' }: FleetCeiling, surroundings: Surroundings) {
    const caps: Cap[] = [
      ...(dayUsd === undefined ? [] : [{ per: 'day' as const, usd: dayUsd }]),
      ...(monthUsd === undefined ? [] : [{ per: 'month' as const, usd: monthUsd }]),
    ]
    this.meter = new Meter(
      scopes.fleet,
      caps.map(cap => ({ cap, zone })),
      surroundings.store !== undefined,
    )
    this.reached = new Cell<Reading>(
      keys.fleet,
      surroundings.store,
      (before, after) => {
        if (after && !before) surroundings.emit({ type: 'fleet.reached', reading: after })
        else if (before && !after) surroundings.emit({ type: 'fleet.rolled' })
      },
      surroundings.problem,
    )
  }

  refusal(provider: string, now: number): Refusal | undefined {
    if (!this.meter.isCapped) return undefined
    if (this.meter.admits(now)) {
      this.reached.update(() => undefined)
      return undefined
    }
    // Of a full day and a full month, the month holds longer.
    const full = this.meter
      .readings(now)
      .filter(({ level }) => level === 'exhausted')
      .sort((a, b) => (b.until ?? 0) - (a.until ?? 0))[0] as Reading
    this.reached.update(present => present ?? full)
    return refusedByFleet(provider, full, now)
  }

  charge(now: number, usd: number, tokens: number, requests: number): void {
    this.meter.add(now, usd, tokens, requests)
    // Reaching the ceiling is told when it is reached, not when the next call is refused.
    this.refusal('', now)
  }
}
