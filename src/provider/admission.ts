import type { Failure } from '../failure/failure.ts'
import type { GateRequest, Outlook } from './gate.ts'
import type { ProviderHealth } from './provider-health.ts'
import type { Refusal } from './refusal.ts'
import type { Registry } from './registry.ts'
import type { SharedState } from './shared-state.ts'

/** Whether a provider admits a call, and when it will. Nothing is taken by asking. */
export class Admission {
  readonly #registry: Registry
  readonly #shared: SharedState

  constructor(registry: Registry, shared: SharedState) {
    this.#registry = registry
    this.#shared = shared
  }

  /**
   * Why it does not admit; `probe` if one call may find out whether it is back, undefined if it admits.
   * @param now epoch milliseconds
   * @param own the failure of the same call: the block that it set itself does not hold up its retry
   */
  refusal(
    provider: ProviderHealth,
    model: string | undefined,
    now: number,
    own: Failure | undefined,
  ): Refusal | 'probe' | undefined {
    this.#shared.glance()
    return this.#registry.fleet.refusal(provider.id, now) ?? provider.refusal(model, now, own)
  }

  /** Whether somebody other than those tried would be admitted now, and when the first will be. */
  outlook(request: GateRequest, now: number): Outlook {
    const { pool, model } = request
    const otherProviderAvailable = pool.some(id => {
      const provider = this.#registry.provider(id)
      if (this.#registry.unfit(provider, request) !== undefined) return false
      const refusal = this.refusal(provider, model, now, undefined)
      return refusal === undefined || (refusal === 'probe' && !provider.hasProbe)
    })
    return { otherProviderAvailable, ...this.firstFree(request, now) }
  }

  /** Earliest time at which anybody of the pool admits, those that failed in this call included. */
  firstFree({ pool, model }: GateRequest, now: number): { availableAt?: number } {
    let first = Infinity
    for (const id of pool) {
      const refusal = this.refusal(this.#registry.provider(id), model, now, undefined)
      first = Math.min(first, refusal === undefined || refusal === 'probe' ? now : refusal.until)
    }
    return Number.isFinite(first) ? { availableAt: first } : {}
  }
}
