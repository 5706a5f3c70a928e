import type { Cell } from './cell.ts'
import type { CellMaker } from './cell-maker.ts'
import { keys, scopes } from './keys.ts'
import { Meter } from './meter.ts'
import { type Refusal, refusedByFleet } from './refusal.ts'
import type { Cap, FleetCeiling } from './settings.ts'
import type { WindowUse } from './window-use.ts'

/** What all providers cost together. */
export class Fleet {
  readonly meter: Meter
  /** Set while the ceiling is reached, so exactly one process reports, once, that it was reached and that it rolled. */
  readonly reached: Cell<WindowUse>

  constructor({ dayUsd, monthUsd, timeZone: zone = 'UTC' }: FleetCeiling, cells: CellMaker) {
    const caps: Cap[] = [
      ...(dayUsd === undefined ? [] : [{ per: 'day' as const, usd: dayUsd }]),
      ...(monthUsd === undefined ? [] : [{ per: 'month' as const, usd: monthUsd }]),
    ]
    this.meter = new Meter(
      scopes.fleet,
      caps.map(cap => ({ cap, zone })),
      cells.isShared,
    )
    this.reached = cells.make<WindowUse>(keys.fleet, (before, after) => {
      if (after && !before) cells.emit({ type: 'fleet.reached', use: after })
      else if (before && !after) cells.emit({ type: 'fleet.rolled' })
    })
  }

  refusal(provider: string, now: number): Refusal | undefined {
    if (!this.meter.isCapped) return undefined
    if (this.meter.admits(now)) {
      this.reached.update(() => undefined)
      return undefined
    }
    // If day and month are both full, the month lasts longer.
    const full = this.meter
      .windows(now)
      .filter(({ level }) => level === 'exhausted')
      .sort((a, b) => (b.until ?? 0) - (a.until ?? 0))[0] as WindowUse
    this.reached.update(present => present ?? full)
    return refusedByFleet(provider, full, now)
  }

  charge(now: number, usd: number, tokens: number, requests: number): void {
    this.meter.add(now, usd, tokens, requests)
    // Reports the ceiling when it is reached, not when the next call is refused.
    this.refusal('', now)
  }
}
