import type { Time } from '../time/time.ts'
import type { Admission } from './admission.ts'
import { BreakerCell } from './breaker-cell.ts'
import type { Choice, GateRequest, PassedOver } from './gate.ts'
import { ProbeCandidates } from './probe-candidates.ts'
import type { Prober } from './prober.ts'
import type { ProviderHealth } from './provider-health.ts'
import type { Providers } from './providers.ts'
import type { Recorder } from './recorder.ts'
import { NO_PROVIDER_LEFT, type Refusal } from './refusal.ts'
import type { Answer, Wait, WaitingLine } from './waiting-line.ts'

const NONE_PASSED_OVER: readonly PassedOver[] = []

/** Goes through a pool in order, and takes the first provider that admits. */
export class Chooser {
  readonly #time: Time
  readonly #newId: () => string
  readonly #providers: Providers
  readonly #admission: Admission
  readonly #recorder: Recorder
  readonly #prober: Prober
  readonly #line: WaitingLine
  readonly #candidates: ProbeCandidates

  /** @param newId must be unique among the probes of all processes */
  constructor(
    time: Time,
    newId: () => string,
    providers: Providers,
    admission: Admission,
    recorder: Recorder,
    prober: Prober,
    line: WaitingLine,
  ) {
    this.#time = time
    this.#newId = newId
    this.#providers = providers
    this.#admission = admission
    this.#recorder = recorder
    this.#prober = prober
    this.#line = line
    this.#candidates = new ProbeCandidates(time)
  }

  /**
   * Chooses at once if possible; waits if a probe or a running call may free a provider any moment.
   * @param since monotonic milliseconds at which the wait began; undefined for a call that has not waited
   */
  choose(request: GateRequest, since: number | undefined): Choice | Promise<Choice> {
    const answer = this.#answer(request, since)
    if (!('waitMs' in answer)) return answer
    return this.#wait(request, since ?? this.#time.monotonic(), answer)
  }

  /** Like {@link choose}, but waits only for the store. */
  #answer(request: GateRequest, since: number | undefined): Answer {
    const unread = this.#admission.unread(request.pool)
    if (unread) return this.#chooseAfter(unread, request, since)
    const now = this.#time.now()
    const { pool, tried, again, after } = request
    let passedOver: PassedOver[] | undefined
    let first: Refusal | undefined
    let isShort = false
    let askAgainAt = Infinity
    for (const id of again === undefined ? pool : [again]) {
      const provider = this.#providers.get(id)
      const unfit = again === undefined ? this.#admission.unfit(provider, request) : undefined
      // A retry is not held up by the block that its own failure set.
      const own = again ? after : undefined
      const refusal = unfit === undefined ? this.#admission.refusal(provider, request, now, own) : undefined
      if (unfit === undefined && refusal === undefined) {
        this.#noteServer(pool, id, passedOver, tried)
        return {
          permit: this.#recorder.permit(provider, request, now),
          passedOver: passedOver ?? NONE_PASSED_OVER,
        }
      }
      if (refusal instanceof BreakerCell) {
        const probe = this.#probe(provider, refusal, request, since, passedOver ?? NONE_PASSED_OVER, now)
        if (probe) return probe
      }
      passedOver ??= []
      if (unfit !== undefined) passedOver.push({ provider: id, reason: unfit })
      else if (refusal instanceof BreakerCell) {
        isShort = true
        passedOver.push({ provider: id, reason: 'a probe will show whether it is back' })
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
      failure: first?.failure ?? after ?? NO_PROVIDER_LEFT,
      ...this.#admission.firstFree(request, now),
      passedOver: passedOver ?? NONE_PASSED_OVER,
    }
  }

  // The next two are separate methods, because a closure in their callers would cost every call, even those that do not
  // wait.

  #wait(request: GateRequest, since: number, wait: Wait): Promise<Choice> {
    return this.#line.join({ since, signal: request.signal, ask: () => this.#answer(request, since) }, wait)
  }

  async #chooseAfter(
    unread: Promise<void>,
    request: GateRequest,
    since: number | undefined,
  ): Promise<Choice> {
    await unread
    return this.choose(request, since)
  }

  /** The one call that may find out whether a provider is back; undefined if the provider has its own probe for that. */
  #probe(
    provider: ProviderHealth,
    breaker: BreakerCell,
    request: GateRequest,
    since = this.#time.monotonic(),
    passedOver: readonly PassedOver[],
    now: number,
  ): Promise<Choice> | undefined {
    if (provider.hasProbeFor(breaker)) {
      void this.#prober.probeForLine(provider.id)
      return undefined
    }
    const probeId = this.#newId()
    return this.#candidates.enter(breaker, {
      probeId,
      since,
      signal: request.signal,
      asProbe: () => {
        this.#noteServer(request.pool, provider.id, passedOver, request.tried)
        const probe = { id: probeId, of: breaker }
        return { permit: this.#recorder.permit(provider, request, now, probe), passedOver }
      },
      chooseAgain: () => this.choose(request, since),
    })
  }

  /** Records which provider serves in place of a pool's preferred one, and when that one serves again. */
  #noteServer(
    pool: readonly string[],
    chosen: string,
    passedOver: readonly PassedOver[] | undefined,
    tried: ReadonlySet<string>,
  ): void {
    if (pool.length < 2) return
    const preferred = this.#providers.get(pool[0] as string)
    if (preferred.id === chosen) {
      if (!tried.has(chosen)) preferred.servesAgain()
    } else if (passedOver?.[0]?.provider === preferred.id || tried.has(preferred.id))
      preferred.replacedBy(chosen)
  }

  /** For calls that wait behind a probe of another process, which may have died. */
  #watchProbes(pool: readonly string[]): void {
    for (const id of pool)
      for (const { probeLease } of this.#providers.get(id).breakers())
        probeLease.watch(() => this.#line.wake())
  }
}

function passed(provider: string, { reason, until }: Refusal): PassedOver {
  return Number.isFinite(until) ? { provider, reason, until } : { provider, reason }
}
