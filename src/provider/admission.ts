import type { Failure } from '../failure/failure.ts'
import { BreakerCell } from './breaker-cell.ts'
import type { Caller } from './caller.ts'
import type { GateRequest, Outlook } from './gate.ts'
import type { ProviderHealth } from './provider-health.ts'
import type { Providers } from './providers.ts'
import type { Refusal } from './refusal.ts'
import type { ProviderSettings } from './settings.ts'
import type { StoreSync } from './store-sync.ts'

/** Decides whether a provider may serve a call now, and when it will. Asking reserves nothing. */
export class Admission {
  readonly #providers: Providers
  readonly #sync: StoreSync | undefined

  /** @param sync undefined if nothing is shared with other processes */
  constructor(providers: Providers, sync: StoreSync | undefined) {
    this.#providers = providers
    this.#sync = sync
  }

  /** Loads what must be read before deciding about these providers; usually nothing. */
  unread(pool: readonly string[]): Promise<void> | undefined {
    return this.#sync?.unread(pool)
  }

  /**
   * Why the provider does not admit the call; a breaker if one call may probe it; undefined if the provider admits.
   * @param now epoch milliseconds
   * @param own the failure of the same call, whose own block does not hold up its retry
   */
  refusal(
    provider: ProviderHealth,
    caller: Caller,
    now: number,
    own: Failure | undefined,
  ): Refusal | BreakerCell | undefined {
    this.#sync?.refreshSpends()
    return this.#providers.fleet.refusal(provider.id, now) ?? provider.refusal(caller, now, own)
  }

  /** Why this provider cannot help after the call's failure, even if it is healthy. */
  unfit(provider: ProviderHealth, request: GateRequest): string | undefined {
    const { tried, after } = request
    if (tried.size === 0) return undefined
    if (tried.has(provider.id)) return 'already failed in this call'
    if (after?.provider === undefined) return undefined
    const failed = this.#providers.get(after.provider)
    if (after.class === 'throttle' && failed.quota === provider.quota)
      return `shares the quota of ${failed.id}, which is used up`
    if (after.kind !== 'context_overflow') return undefined
    const [had, has] = [failed, provider].map(({ id, settings }) =>
      contextWindowOf(settings, callerFor(id, request).model),
    )
    const isLarger = had !== undefined && has !== undefined && has > had
    return isLarger ? undefined : 'declares no larger context window'
  }

  /** Whether an untried provider would admit the call now, and when the first one will. */
  outlook(request: GateRequest, now: number): Outlook {
    const otherProviderAvailable = request.pool.some(id => {
      const provider = this.#providers.get(id)
      if (this.unfit(provider, request) !== undefined) return false
      const refusal = this.refusal(provider, callerFor(provider.id, request), now, undefined)
      if (refusal === undefined) return true
      // One call may find out whether it is back: rather this one than none.
      const breaker = refusal instanceof BreakerCell ? refusal : refusal.breaker
      const isDue = refusal instanceof BreakerCell || this.#turnAt(refusal, request) <= now
      return breaker !== undefined && isDue && !provider.hasProbeFor(breaker)
    })
    return { otherProviderAvailable, ...this.firstFree(request, now) }
  }

  /**
   * The earliest time at which a provider of the pool admits, including those that failed in this call. A call that must
   * return to one provider, because its session lives there, waits for that one even if others are healthy.
   */
  firstFree(request: GateRequest, now: number): { availableAt?: number } {
    const { pool, again } = request
    let first = Infinity
    for (const id of again === undefined ? pool : [again]) {
      const refusal = this.refusal(this.#providers.get(id), callerFor(id, request), now, undefined)
      const isFree = refusal === undefined || refusal instanceof BreakerCell
      first = Math.min(first, isFree ? now : Math.min(refusal.until, this.#turnAt(refusal, request)))
    }
    return Number.isFinite(first) ? { availableAt: first } : {}
  }

  /** When a call in line may go, although a breaker is open. */
  #turnAt({ turnAt = Infinity }: Refusal, { triesLeft }: GateRequest): number {
    return triesLeft === undefined ? Infinity : turnAt
  }
}

/** The caller as one provider sees it: with the model that it is asked for there. */
export function callerFor(provider: string, request: GateRequest): Caller {
  const model = request.models?.[provider]
  if (model === undefined) return request
  const { tool, credential } = request
  return {
    model,
    tool,
    credential,
    get remainingMs() {
      return request.remainingMs
    },
    get triesLeft() {
      return request.triesLeft
    },
  }
}

/** In tokens: the context window declared for the model, or the largest of all models if that one is not listed. */
function contextWindowOf({ models = [] }: ProviderSettings, model: string | undefined): number | undefined {
  const named = models.find(({ id }) => id === model)
  const windows = (named ? [named] : models).flatMap(({ contextWindow }) => contextWindow ?? [])
  return windows.length > 0 ? Math.max(...windows) : undefined
}
