import type { Failure } from '../failure/failure.ts'
import { sleep, type Time } from '../time/time.ts'
import { type Admission, callerFor } from './admission.ts'
import { BreakerCell } from './breaker-cell.ts'
import type { InLine, Turn } from './down-line.ts'
import type { Choice, GateRequest, PassedOver } from './gate.ts'
import type { Permits } from './permit.ts'
import { ProbeCandidates } from './probe-candidates.ts'
import type { Prober } from './prober.ts'
import type { ProviderHealth } from './provider-health.ts'
import type { Providers } from './providers.ts'
import { failureInLine, NO_PROVIDER_LEFT, type Refusal, refusedByWait } from './refusal.ts'
import type { Answer, Wait, WaitingLine } from './waiting-line.ts'

const NONE_PASSED_OVER: readonly PassedOver[] = []

/** Goes through a pool in order, and takes the first provider that admits. */
export class Chooser {
  readonly #time: Time
  readonly #newId: () => string
  readonly #providers: Providers
  readonly #admission: Admission
  readonly #permits: Permits
  readonly #prober: Prober
  readonly #line: WaitingLine
  readonly #candidates: ProbeCandidates

  /** @param newId must be unique among the probes of all processes */
  constructor(
    time: Time,
    newId: () => string,
    providers: Providers,
    admission: Admission,
    permits: Permits,
    prober: Prober,
    line: WaitingLine,
  ) {
    this.#time = time
    this.#newId = newId
    this.#providers = providers
    this.#admission = admission
    this.#permits = permits
    this.#prober = prober
    this.#line = line
    this.#candidates = new ProbeCandidates(time)
  }

  /**
   * Chooses at once if possible; waits if a probe or a running call may free a provider any moment.
   * @param since monotonic milliseconds at which the wait began; undefined for a call that has not waited
   */
  choose(request: GateRequest, since: number | undefined): Choice | Promise<Choice> {
    if (this.#line.size > 0) this.#line.wakeDue()
    const answer = this.#answer(request, since, undefined, this.#line.size)
    if (!('waitMs' in answer)) return answer
    return this.#wait(request, since ?? this.#time.monotonic(), answer)
  }

  /**
   * Waits until a provider admits the request, for `ms` milliseconds at most. Asking takes no turn. Not even the block of the
   * request's own failure is passed: if it ends early, it need not be waited out.
   */
  async wait(request: GateRequest, ms: number): Promise<void> {
    if (this.#isInLine(request, ms)) return
    const end = this.#time.monotonic() + ms
    const { pool, again, signal, since = this.#time.monotonic(), isUrgent } = request
    const ask = (): Answer<object> => {
      const left = end - this.#time.monotonic()
      if (left <= 0) return {}
      const now = this.#time.now()
      const isFree = (again === undefined ? pool : [again]).some(id => {
        const provider = this.#providers.get(id)
        return (
          (again !== undefined || this.#admission.unfit(provider, request) === undefined) &&
          this.#admission.refusal(provider, callerFor(id, request), now, undefined) === undefined
        )
      })
      return isFree ? {} : { waitMs: left }
    }
    const first = ask()
    // What is free already is not what the caller waits for.
    if (!('waitMs' in first)) return sleep(this.#time, ms, signal)
    await this.#line.join({ since, isUrgent, signal, ask }, first as Wait)
  }

  /** Whether {@link choose} makes the retry wait as long, in its place of the line. */
  #isInLine(request: GateRequest, ms: number): boolean {
    const { again, after } = request
    if (again === undefined) return false
    const now = this.#time.now()
    const refusal = this.#admission.refusal(this.#providers.get(again), callerFor(again, request), now, after)
    return refusal !== undefined && 'isShort' in refusal && refusal.until - now >= ms
  }

  /**
   * Like {@link choose}, but waits only for the store.
   * @param inLine how long the call can wait, where at 0 or less the answer is final, and how long it has waited since its last
   *   try, in milliseconds. Undefined for a call that has not waited here: reading it would cost every call.
   * @param ahead how many wait before it, if it is new
   */
  #answer(
    request: GateRequest,
    since: number | undefined,
    inLine: { patienceMs: number; waitedMs: number } | undefined,
    ahead: number,
  ): Answer<Choice> {
    const unread = this.#admission.unread(request.pool)
    if (unread) return this.#chooseAfter(unread, request, since)
    const now = this.#time.now()
    const { pool, tried, again, after } = request
    let passedOver: PassedOver[] | undefined
    let first: Refusal | undefined
    let isShort = false
    let askAgainAt = Infinity
    let spared: ProviderHealth | undefined
    let down: Down[] | undefined
    let patienceMs = inLine?.patienceMs
    for (const id of again === undefined ? pool : [again]) {
      const provider = this.#providers.get(id)
      const unfit = again === undefined ? this.#admission.unfit(provider, request) : undefined
      // A retry is not held up by the block that its own failure set.
      const own = again ? after : undefined
      const caller = callerFor(id, request)
      const refusal = unfit === undefined ? this.#admission.refusal(provider, caller, now, own) : undefined
      const isTest = isTestDue(refusal, now)
      if (unfit === undefined && (refusal === undefined || isTest)) {
        if (
          again === undefined &&
          pool.length > 1 &&
          !isTest &&
          provider.quota.isLimited(caller.model, now)
        ) {
          spared ??= provider
          passedOver ??= []
          passedOver.push({ provider: id, reason: 'it refused calls lately, and another is healthy' })
          continue
        }
        if (isTest) provider.takeTest(caller, now)
        this.#noteServer(pool, id, passedOver, tried)
        return {
          permit: this.#permits.give(provider, caller, now),
          passedOver: passedOver ?? NONE_PASSED_OVER,
        }
      }
      if (refusal instanceof BreakerCell) {
        const probe = this.#probe(provider, refusal, request, since, passedOver ?? NONE_PASSED_OVER, now)
        if (probe) return probe
      }
      passedOver ??= []
      patienceMs ??= request.waitMs ?? Infinity
      if (unfit !== undefined) passedOver.push({ provider: id, reason: unfit })
      else if (refusal instanceof BreakerCell) {
        isShort = true
        down ??= []
        down.push({ provider, breaker: refusal, isProbed: true })
        if (patienceMs <= 0) first ??= refusedByWait(id, now)
        passedOver.push({ provider: id, reason: 'a probe will show whether it is back' })
      } else if (refusal) {
        const isWaitedFor =
          refusal.isShort === true && patienceMs > 0 && turnMs(refusal, now, ahead) < patienceMs
        isShort ||= isWaitedFor
        if (refusal.until > now) askAgainAt = Math.min(askAgainAt, refusal.until)
        passedOver.push(passed(id, refusal))
        if (refusal.breaker && provider.isFull) isShort = true
        else if (refusal.breaker) {
          down ??= []
          down.push({ provider, breaker: refusal.breaker })
        }
        if (!isWaitedFor && (!first || refusal.until < first.until)) first = refusal
      }
    }
    if (spared) return this.#choose(spared, request, passedOver ?? NONE_PASSED_OVER, now)
    patienceMs ??= 0
    const tries = down && request.triesLeft
    if (down && tries !== undefined && patienceMs > 0 && !this.#canMove(request, now)) {
      const leftMs = Number.isFinite(request.remainingMs) ? (request.remainingMs as number) : patienceMs
      const { ownTurnMs } = request
      const { waitedMs } = inLine ?? { waitedMs: request.waitedMs ?? 0 }
      const turn = nextTurn(down, { waitedMs, leftMs, tries, ownTurnMs }, now)
      const isDue = turn.at <= now
      if (isDue && !this.#probeInstead(turn, now))
        return this.#takeTurn(turn, request, passedOver ?? NONE_PASSED_OVER, now)
      askAgainAt = Math.min(askAgainAt, isDue ? turn.ownAt : turn.at)
      isShort ||= turn.at - now < patienceMs
    }
    if (isShort && patienceMs > 0) {
      this.#watchProbes(pool)
      return { waitMs: Math.min(askAgainAt - now, patienceMs) }
    }
    return {
      failure: (first && failureIn(request, first, now)) ?? after ?? NO_PROVIDER_LEFT,
      ...this.#admission.firstFree(request, now),
      passedOver: passedOver ?? NONE_PASSED_OVER,
    }
  }

  /** Whether a retry can go to another provider: then it waits for none that is down. */
  #canMove(request: GateRequest, now: number): boolean {
    const { again, isBound, pool } = request
    if (again === undefined || isBound || pool.length < 2) return false
    return this.#admission.outlook(request, now).otherProviderAvailable
  }

  /** Nobody else admits: the call finds out whether a provider with an open breaker is back. */
  #takeTurn(
    { provider, breaker }: Down,
    request: GateRequest,
    passedOver: readonly PassedOver[],
    now: number,
  ): Choice {
    breaker.takeTurn(now)
    return this.#choose(provider, request, passedOver, now)
  }

  /** If it is anybody's turn, a provider's own probe goes rather than a call. One that hangs holds up no call for long. */
  #probeInstead({ provider, breaker, isProbed, ownAt }: Down & Turn, now: number): boolean {
    if (ownAt <= now || !provider.hasProbeFor(breaker)) return false
    if (isProbed) return true
    breaker.takeTurn(now)
    void this.#prober.probeForLine(provider.id)
    return true
  }

  /** Nobody else admits: one that was passed over serves. */
  #choose(
    provider: ProviderHealth,
    request: GateRequest,
    passedOver: readonly PassedOver[],
    now: number,
  ): Choice {
    const others = passedOver.filter(({ provider: id }) => id !== provider.id)
    this.#noteServer(request.pool, provider.id, others, request.tried)
    return {
      permit: this.#permits.give(provider, callerFor(provider.id, request), now),
      passedOver: others,
    }
  }

  // The next two are separate methods, because a closure in their callers would cost every call, even those that do not
  // wait.

  #wait(request: GateRequest, since: number, wait: Wait): Promise<Choice> {
    const { signal, isUrgent, waitMs = Infinity, waitedMs = 0 } = request
    const joinedAt = this.#time.monotonic()
    const ask = () => {
      const inLineMs = this.#time.monotonic() - joinedAt
      const inLine = { patienceMs: waitMs - inLineMs, waitedMs: waitedMs + inLineMs }
      return this.#answer(request, since, inLine, 0)
    }
    return this.#line.join({ since, isUrgent, signal, ask }, wait)
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
        return {
          permit: this.#permits.give(provider, callerFor(provider.id, request), now, probe),
          passedOver,
        }
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

function failureIn({ triesLeft }: GateRequest, refusal: Refusal, now: number): Failure {
  return triesLeft === undefined ? refusal.failure : failureInLine(refusal, now)
}

/** A provider that refuses because its breaker is not closed. */
interface Down {
  provider: ProviderHealth
  breaker: BreakerCell
  /** Its own probe is finding out. */
  isProbed?: true
}

/** The provider where it is the call's turn first. */
function nextTurn(down: readonly Down[], call: InLine, now: number): Down & Turn {
  const turns = down.map(of => ({ ...of, ...of.breaker.turnOf(call, now) }))
  return turns.reduce((first, turn) => (turn.at < first.at ? turn : first))
}

/** Whether one call may find out if money or a login is in order again. */
function isTestDue(refusal: Refusal | BreakerCell | undefined, now: number): boolean {
  return refusal !== undefined && 'testAt' in refusal && (refusal.testAt ?? Infinity) <= now
}

/**
 * How long until it is the call's turn, in milliseconds, as far as is known. What only a running call or a probe can end may
 * end any moment.
 */
function turnMs({ until, perSecond }: Refusal, now: number, ahead: number): number {
  if (until <= now) return -Infinity
  return until - now + (perSecond === undefined ? 0 : (ahead / perSecond) * 1_000)
}

function passed(provider: string, { reason, until }: Refusal): PassedOver {
  return Number.isFinite(until) ? { provider, reason, until } : { provider, reason }
}
