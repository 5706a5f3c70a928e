import type { Cell } from './cell.ts'
import { Fleet } from './fleet.ts'
import type { GateRequest } from './gate.ts'
import { readKey } from './keys.ts'
import type { Meter } from './meter.ts'
import { ProviderHealth } from './provider-health.ts'
import { QuotaHealth } from './quota-health.ts'
import type { FleetCeiling, ProviderSettings } from './settings.ts'
import type { Surroundings } from './surroundings.ts'

/** Every provider and quota that is configured, was called, or is known to the store. */
export class Registry {
  readonly fleet: Fleet
  readonly #settings: ReadonlyMap<string, ProviderSettings>
  readonly #providers = new Map<string, ProviderHealth>()
  readonly #quotas = new Map<string, QuotaHealth>()
  readonly #surroundings: Surroundings

  constructor(settings: readonly ProviderSettings[], ceiling: FleetCeiling, surroundings: Surroundings) {
    this.#settings = new Map(settings.map(one => [one.id, one]))
    this.#surroundings = surroundings
    this.fleet = new Fleet(ceiling, surroundings)
    for (const { id } of settings) this.provider(id)
  }

  /** The health of one provider; one that nobody configured has the defaults. */
  provider(id: string): ProviderHealth {
    let provider = this.#providers.get(id)
    if (!provider) {
      const settings = this.#settings.get(id) ?? { id }
      provider = new ProviderHealth(settings, this.quota(settings.quota ?? id), this.#surroundings)
      this.#providers.set(id, provider)
    }
    return provider
  }

  providers(): Iterable<ProviderHealth> {
    return this.#providers.values()
  }

  quota(name: string): QuotaHealth {
    let quota = this.#quotas.get(name)
    if (!quota) {
      const sharing = [...this.#settings.values()].filter(({ id, quota = id }) => quota === name)
      const caps = sharing.flatMap(({ caps = [], timeZone: zone = 'UTC' }) =>
        caps.map(cap => ({ cap, zone })),
      )
      quota = new QuotaHealth(name, caps, this.#surroundings)
      this.#quotas.set(name, quota)
    }
    return quota
  }

  /** Why this provider cannot help with the failure that a call comes with, whatever its health. */
  unfit(provider: ProviderHealth, { tried, after, model }: GateRequest): string | undefined {
    if (tried.size === 0) return undefined
    if (tried.has(provider.id)) return 'already failed in this call'
    if (after?.provider === undefined) return undefined
    const failed = this.provider(after.provider)
    if (after.class === 'throttle' && failed.quota === provider.quota)
      return `shares the quota of ${failed.id}, which is used up`
    if (after.kind !== 'context_overflow') return undefined
    const [had, has] = [windowOf(failed.settings, model), windowOf(provider.settings, model)]
    const isLarger = had !== undefined && has !== undefined && has > had
    return isLarger ? undefined : 'declares no larger context window'
  }

  /** The piece of state that is kept under a key; undefined for a key that is none of ours. */
  cellOf(key: string): Cell<never> | undefined {
    const of = readKey(key)
    switch (of?.of) {
      case 'breaker': {
        const provider = this.provider(of.provider)
        const breaker = of.model === undefined ? provider.breaker : provider.modelBreaker(of.model)
        return breaker.cell as unknown as Cell<never>
      }
      case 'pause':
        return this.provider(of.provider).pause as unknown as Cell<never>
      case 'login':
        return this.provider(of.provider).logins.cell(of.credential).block.cell as unknown as Cell<never>
      case 'loginStrikes':
        return this.provider(of.provider).logins.cell(of.credential).strikes.cell as unknown as Cell<never>
      case 'quotaBlock':
        return this.quota(of.quota).blockCell(of.model).cell as unknown as Cell<never>
      case 'quotaStrikes':
        return this.quota(of.quota).strikesCell(of.model).cell as unknown as Cell<never>
      case 'fill':
        return this.quota(of.quota).fillCell(of.model) as unknown as Cell<never>
      case 'fleet':
        return this.fleet.reached as unknown as Cell<never>
      case undefined:
        return undefined
    }
  }

  *cells(): Iterable<Cell<never>> {
    for (const provider of this.#providers.values()) yield* provider.cells()
    for (const quota of this.#quotas.values()) yield* quota.cells()
    yield this.fleet.reached as unknown as Cell<never>
  }

  *meters(): Iterable<Meter> {
    for (const { meter } of this.#quotas.values()) yield meter
    yield this.fleet.meter
  }
}

/** The largest window that it declares for the model, or for any of its models where that one is not listed. */
function windowOf({ models = [] }: ProviderSettings, model: string | undefined): number | undefined {
  const named = models.find(({ id }) => id === model)
  const windows = (named ? [named] : models).flatMap(({ contextWindow }) => contextWindow ?? [])
  return windows.length > 0 ? Math.max(...windows) : undefined
}
