import type { Admission } from './admission.ts'
import { BreakerCell } from './breaker-cell.ts'
import { Contest } from './contest.ts'
import type { Choice, GateRequest, PassedOver } from './gate.ts'
import type { Permits } from './permits.ts'
import type { Probing } from './probing.ts'
import type { ProviderHealth } from './provider-health.ts'
import { NOBODY_LEFT, type Refusal } from './refusal.ts'
import type { Registry } from './registry.ts'
import type { SharedState } from './shared-state.ts'
import type { Surroundings } from './surroundings.ts'
import type { Answer, Waiting } from './waiting.ts'

const NOBODY: readonly PassedOver[] = []

/** The parts of a health that a choice depends on. */
export interface ChooserParts {
  registry: Registry
  shared: SharedState
  admission: Admission
  permits: Permits
  probing: Probing
  waiting: Waiting
}

/** Goes through a pool in its order, and takes the first provider that admits. */
export class Chooser {
  readonly #surroundings: Surroundings
  readonly #registry: Registry
  readonly #shared: SharedState
  readonly #admission: Admission
  readonly #permits: Permits
  readonly #probing: Probing
  readonly #waiting: Waiting
  readonly #contest: Contest

  constructor(surroundings: Surroundings, parts: ChooserParts) {
    this.#surroundings = surroundings
    this.#registry = parts.registry
    this.#shared = parts.shared
    this.#admission = parts.admission
    this.#permits = parts.permits
    this.#probing = parts.probing
    this.#waiting = parts.waiting
    this.#contest = new Contest(surroundings, (request, since) => this.choose(request, since))
  }

  /**
   * The choice, at once where that is possible; waits where a probe or a running call decides any moment.
   * @param since monotonic milliseconds; undefined for one that did not wait yet
   */
  choose(request: GateRequest, since: number | undefined): Choice | Promise<Choice> {
    const answer = this.answer(request, since)
    if (!('waitMs' in answer)) return answer
    return this.#waiting.add(request, since ?? this.#surroundings.time.monotonic(), answer)
  }

  /** The same, without waiting for anybody but the store. */
  answer(request: GateRequest, since: number | undefined): Answer {
    const unread = this.#shared.unread(request.pool)
    if (unread) return this.#chooseAfter(unread, request, since)
    const now = this.#surroundings.time.now()
    const { pool, tried, again, after } = request
    let passedOver: PassedOver[] | undefined
    let first: Refusal | undefined
    let isShort = false
    let askAgainAt = Infinity
    for (const id of again === undefined ? pool : [again]) {
      const provider = this.#registry.provider(id)
      const unfit = again === undefined ? this.#registry.unfit(provider, request) : undefined
      // A retry is not held up by the block that its own failure set.
      const own = again ? after : undefined
      const refusal = unfit === undefined ? this.#admission.refusal(provider, request, now, own) : undefined
      if (unfit === undefined && refusal === undefined) {
        this.#noteServer(pool, id, passedOver, tried)
        return { permit: this.#permits.give(provider, request, now), passedOver: passedOver ?? NOBODY }
      }
      if (refusal instanceof BreakerCell) {
        const probe = this.#probe(provider, refusal, request, since, passedOver ?? NOBODY, now)
        if (probe) return probe
      }
      passedOver ??= []
      if (unfit !== undefined) passedOver.push({ provider: id, reason: unfit })
      else if (refusal instanceof BreakerCell) {
        isShort = true
        passedOver.push({ provider: id, reason: 'a probe will tell whether it is back' })
      } else if (refusal) {
        isShort ||= refusal.isShort === true
        if (refusal.until > now) askAgainAt = Math.min(askAgainAt, refusal.until)
        passedOver.push(passed(id, refusal))
        if (!refusal.isShort && (!first || refusal.until < first.until)) first = refusal
      }
    }
    if (isShort) {
      this.#watchProbes(pool)
      return { waitMs: askAgainAt - now }
    }
    return {
      failure: first?.failure ?? after ?? NOBODY_LEFT,
      ...this.#admission.firstFree(request, now),
      passedOver: passedOver ?? NOBODY,
    }
  }

  /** Apart from {@link answer}, because a closure in there would be paid for by every call that waits for nothing. */
  async #chooseAfter(
    unread: Promise<void>,
    request: GateRequest,
    since: number | undefined,
  ): Promise<Choice> {
    await unread
    return this.choose(request, since)
  }

  /** The one call that may find out whether a provider is back; undefined where its own probe finds out. */
  #probe(
    provider: ProviderHealth,
    breaker: BreakerCell,
    request: GateRequest,
    since = this.#surroundings.time.monotonic(),
    passedOver: readonly PassedOver[],
    now: number,
  ): Promise<Choice> | undefined {
    if (provider.hasProbeFor(breaker)) {
      void this.#probing.probeBehind(provider.id)
      return undefined
    }
    const id = this.#probing.newId()
    return this.#contest.enter(breaker, request, since, id, () => {
      this.#noteServer(request.pool, provider.id, passedOver, request.tried)
      return { permit: this.#permits.give(provider, request, now, { id, of: breaker }), passedOver }
    })
  }

  /** Remembers who serves in place of a pool's preferred provider, and tells when that one serves again. */
  #noteServer(
    pool: readonly string[],
    chosen: string,
    passedOver: readonly PassedOver[] | undefined,
    tried: ReadonlySet<string>,
  ): void {
    if (pool.length < 2) return
    const preferred = this.#registry.provider(pool[0] as string)
    if (preferred.id !== chosen) {
      if (passedOver?.[0]?.provider === preferred.id || tried.has(preferred.id)) preferred.servedBy = chosen
    } else if (preferred.servedBy !== undefined && !tried.has(chosen)) {
      const from = preferred.servedBy
      preferred.servedBy = undefined
      this.#surroundings.emit({ type: 'returned', provider: chosen, from })
    }
  }

  /** Somebody waits behind a probe of another process, which may have died. */
  #watchProbes(pool: readonly string[]): void {
    for (const id of pool)
      for (const { probeRight } of this.#registry.provider(id).breakers())
        probeRight.watch(() => this.#waiting.wake())
  }
}

function passed(provider: string, { reason, until }: Refusal): PassedOver {
  return Number.isFinite(until) ? { provider, reason, until } : { provider, reason }
}
