import type { Failure } from '../failure/failure.ts'
import { BreakerCell } from './breaker-cell.ts'
import type { GateRequest, Outlook } from './gate.ts'
import type { Caller, ProviderHealth } from './provider-health.ts'
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
   * Why it does not admit; a breaker if one call may find out whether that may close, undefined if it admits.
   * @param now epoch milliseconds
   * @param own the failure of the same call: the block that it set itself does not hold up its retry
   */
  refusal(
    provider: ProviderHealth,
    caller: Caller,
    now: number,
    own: Failure | undefined,
  ): Refusal | BreakerCell | undefined {
    this.#shared.glance()
    return this.#registry.fleet.refusal(provider.id, now) ?? provider.refusal(caller, now, own)
  }

  /** Whether somebody other than those tried would be admitted now, and when the first will be. */
  outlook(request: GateRequest, now: number): Outlook {
    const otherProviderAvailable = request.pool.some(id => {
      const provider = this.#registry.provider(id)
      if (this.#registry.unfit(provider, request) !== undefined) return false
      const refusal = this.refusal(provider, request, now, undefined)
      return refusal === undefined || (refusal instanceof BreakerCell && !provider.hasProbeFor(refusal))
    })
    return { otherProviderAvailable, ...this.firstFree(request, now) }
  }

  /**
   * Earliest time at which anybody of the pool admits, those that failed in this call included. What can only go back to
   * one provider, because its session lives there, waits for that one, however well the others are.
   */
  firstFree(request: GateRequest, now: number): { availableAt?: number } {
    const { pool, again } = request
    let first = Infinity
    for (const id of again === undefined ? pool : [again]) {
      const refusal = this.refusal(this.#registry.provider(id), request, now, undefined)
      first = Math.min(first, refusal === undefined || refusal instanceof BreakerCell ? now : refusal.until)
    }
    return Number.isFinite(first) ? { availableAt: first } : {}
  }
}
