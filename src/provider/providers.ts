import type { Cell, StoredCell } from './cell.ts'
import type { CellMaker } from './cell-maker.ts'
import { keys, readKey, scopes } from './keys.ts'
import { Meter } from './meter.ts'
import { ProviderHealth } from './provider-health.ts'
import { QuotaHealth } from './quota-health.ts'
import { type Refusal, refusedByFleet } from './refusal.ts'
import type { Cap, FleetCeiling, ProviderSettings } from './settings.ts'
import type { WindowUse } from './window-use.ts'

/** Every provider and quota that is configured, was called, or is in the store. */
export class Providers {
  readonly fleet: Fleet
  readonly #settings: ReadonlyMap<string, ProviderSettings>
  readonly #providers = new Map<string, ProviderHealth>()
  readonly #quotas = new Map<string, QuotaHealth>()
  readonly #cells: CellMaker

  constructor(settings: readonly ProviderSettings[], ceiling: FleetCeiling, cells: CellMaker) {
    this.#settings = new Map(settings.map(one => [one.id, one]))
    this.#cells = cells
    this.fleet = new Fleet(ceiling, cells)
    for (const { id } of settings) this.get(id)
  }

  /** The health of one provider; without settings, it has the defaults. */
  get(id: string): ProviderHealth {
    let provider = this.#providers.get(id)
    if (!provider) {
      const settings = this.#settings.get(id) ?? { id }
      provider = new ProviderHealth(settings, this.quota(settings.quota ?? id), this.#cells)
      this.#providers.set(id, provider)
    }
    return provider
  }

  all(): Iterable<ProviderHealth> {
    return this.#providers.values()
  }

  quota(name: string): QuotaHealth {
    let quota = this.#quotas.get(name)
    if (!quota) {
      const sharing = [...this.#settings.values()].filter(({ id, quota = id }) => quota === name)
      const caps = sharing.flatMap(({ caps = [], timeZone: zone = 'UTC' }) =>
        caps.map(cap => ({ cap, zone })),
      )
      const learns = sharing.every(({ learnRate = true }) => learnRate)
      quota = new QuotaHealth(name, caps, this.#cells, learns)
      this.#quotas.set(name, quota)
    }
    return quota
  }

  /**
   * A quota that the store says something about. If no settings name it, it is that of the provider with its name, which must be
   * listed, or nobody could see or reset it.
   */
  #storedQuota(name: string): QuotaHealth {
    const isNamed = [...this.#settings.values()].some(({ id, quota = id }) => quota === name)
    if (!isNamed) this.get(name)
    return this.quota(name)
  }

  /** The cell stored under a key; undefined for a foreign key. */
  cellOf(key: string): StoredCell | undefined {
    const of = readKey(key)
    switch (of?.of) {
      case 'breaker': {
        const provider = this.get(of.provider)
        const breaker = of.model === undefined ? provider.breaker : provider.modelBreaker(of.model)
        return breaker.cell
      }
      case 'pause':
        return this.get(of.provider).pause
      case 'login':
        return this.get(of.provider).logins.cell(of.credential).block.cell
      case 'loginStrikes':
        return this.get(of.provider).logins.cell(of.credential).strikes.cell
      case 'quotaBlock':
        return this.#storedQuota(of.quota).blocks.of(of.model).cell
      case 'quotaStrikes':
        return this.quota(of.quota).strikes.of(of.model).cell
      case 'fill':
        return this.quota(of.quota).windows.fillCell(of.model)
      case 'pace':
        return this.#storedQuota(of.quota).paces.of(of.model).cell
      case 'fleet':
        return this.fleet.reached
      case undefined:
        return undefined
    }
  }

  *cells(): Iterable<StoredCell> {
    for (const provider of this.#providers.values()) yield* provider.cells()
    for (const quota of this.#quotas.values()) yield* quota.cells()
    yield this.fleet.reached
  }

  *meters(): Iterable<Meter> {
    for (const { windows } of this.#quotas.values()) yield windows.meter
    yield this.fleet.meter
  }
}

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
