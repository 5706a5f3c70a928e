import type { Failure } from '../failure/failure.ts'
import type { SignatureMap } from '../failure/signature-map.ts'
import type { Time } from '../time/time.ts'
import type { HealthMark } from '../verdict/policy.ts'
import type { Caller } from './caller.ts'
import type { FlushTimer } from './flush-timer.ts'
import type { Cost, Permit } from './gate.ts'
import { isOutputOrThrottle, learnWindows, readAnswer, recordLimitMet } from './limits-in-answers.ts'
import type { ProviderHealth, Standing, Tried } from './provider-health.ts'
import type { Fleet } from './providers.ts'
import type { WaitingLine } from './waiting-line.ts'

/** Gives permits, and has what they need to record how their calls went. */
export class Permits {
  readonly time: Time
  readonly line: WaitingLine
  /** They recognise providers' limits that the catalogue does not know. */
  readonly signatures: SignatureMap | undefined
  readonly #newId: () => string
  readonly #fleet: Fleet
  readonly #flushTimer: FlushTimer

  /** @param newId must be unique among the trials of all processes */
  constructor(
    time: Time,
    newId: () => string,
    fleet: Fleet,
    flushTimer: FlushTimer,
    line: WaitingLine,
    signatures: SignatureMap | undefined,
  ) {
    this.time = time
    this.line = line
    this.signatures = signatures
    this.#newId = newId
    this.#fleet = fleet
    this.#flushTimer = flushTimer
  }

  /**
   * A permit for a call that begins now.
   * @param now epoch milliseconds
   * @param probe set for the one call that finds out whether the provider is back
   */
  give(provider: ProviderHealth, caller: Caller, now: number, probe?: Tried['probe']): Permit {
    const permit = this.#begun(provider, caller, now, probe)
    permit.trial = provider.quota.began(caller.model, this.#newId, now, this.onAdmitted)
    return permit
  }

  /** A permit for a try that was begun elsewhere, without asking here. */
  madeElsewhere(provider: ProviderHealth, caller: Caller, startedAt: number): Permit {
    return this.#begun(provider, caller, startedAt, undefined)
  }

  #begun(provider: ProviderHealth, caller: Caller, startedAt: number, probe: Tried['probe']): HealthPermit {
    provider.running++
    provider.quota.trafficOf(caller.model).began()
    this.charge(provider, startedAt, 0, 0, 1)
    return new HealthPermit(provider, caller, startedAt, probe, this)
  }

  charge({ quota }: ProviderHealth, now: number, usd: number, tokens: number, requests: number): void {
    quota.windows.charge(now, usd, tokens, requests)
    this.#fleet.charge(now, usd, tokens, requests)
    this.#flushTimer.touch()
  }

  /** An answer has begun, so the next call need not wait for its end. */
  readonly onAdmitted = () => {
    if (this.line.size > 0) this.line.wake()
  }
}

/** Permission to call a provider once, settled at most once. A class, because one is made for every call. */
class HealthPermit implements Permit, Tried {
  readonly provider: string
  readonly of: ProviderHealth
  readonly model: string | undefined
  readonly tool: string | undefined
  readonly credential: string | undefined
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Set if this call is the probe of a half-open breaker. */
  readonly probe: Tried['probe']
  /** Set if this call goes ahead of the others after a limit. */
  trial: string | undefined
  /** Set once its answer has begun, before its end. */
  isAdmitted = false
  /** Set once its answer has begun, or come. */
  #hasAnswer = false
  /** A limit observed on the way. If this call succeeds, it applies to the next one. */
  #limitOnTheWay: object | undefined
  readonly #permits: Permits
  #isSettled = false

  constructor(
    of: ProviderHealth,
    { model, tool, credential }: Caller,
    startedAt: number,
    probe: Tried['probe'],
    permits: Permits,
  ) {
    this.provider = of.settings.id
    this.of = of
    this.model = model
    this.tool = tool
    this.credential = credential
    this.startedAt = startedAt
    this.probe = probe
    this.#permits = permits
  }

  standing(failure: Failure): Standing {
    return this.of.standing(failure, this, this.#permits.time.now())
  }

  observed(seen: unknown): void {
    if (isOutputOrThrottle(seen)) this.#limitOnTheWay = seen
    else this.#admitted()
    learnWindows(this, seen, this.#permits.time)
  }

  answering(): void {
    if (this.#isSettled) return
    const { of } = this
    this.#served()
    this.#admitted()
    if (!of.isDown) return
    of.answering(this)
    if (!of.isDown) this.#permits.line.wakeGradually()
  }

  succeeded(cost?: Cost, value?: unknown): void {
    if (!this.#isFirstEnd()) return
    const { of, model } = this
    const { line, signatures, time } = this.#permits
    const wasDown = line.size > 0 && of.isDown
    this.#served()
    of.succeeded(this)
    of.quota.succeeded(model, this, line.size > 0)
    if (typeof value === 'object' && value !== null) readAnswer(this, value, signatures, time)
    // After the success is recorded, because that ends earlier blocks.
    if (this.#limitOnTheWay) recordLimitMet(this, this.#limitOnTheWay, signatures, time)
    this.#ended(cost, wasDown && !of.isDown)
  }

  failed(failure: Failure, mark: HealthMark, cost?: Cost): void {
    if (!this.#isFirstEnd()) return
    this.of.failed(failure, mark, this.#permits.time.now(), this)
    this.#ended(withCostOf(failure, cost))
  }

  released(cost?: Cost): void {
    if (!this.#isFirstEnd()) return
    this.of.released(this.probe)
    this.#ended(cost)
  }

  #served(): void {
    if (this.#hasAnswer) return
    this.#hasAnswer = true
    this.of.quota.trafficOf(this.model).served()
  }

  #admitted(): void {
    const { of, model, trial, startedAt } = this
    if (trial === undefined || this.isAdmitted) return
    this.isAdmitted = true
    const { line, onAdmitted } = this.#permits
    of.quota.admitted(model, trial, startedAt, line.size > 0)
    onAdmitted()
  }

  #isFirstEnd(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    return true
  }

  /** @param isBack whether calls may wait for a provider that just came back */
  #ended(cost: Cost | undefined, isBack = false): void {
    const { of, model, trial } = this
    const { line, time } = this.#permits
    of.running--
    if (!this.#hasAnswer) of.quota.trafficOf(model).ended()
    if (trial !== undefined) of.quota.ended(model, trial)
    if (cost && (cost.costUsd !== null || cost.tokens !== null))
      this.#permits.charge(of, time.now(), amount(cost.costUsd), amount(cost.tokens), 0)
    if (line.size === 0) return
    if (isBack) line.wakeGradually()
    else line.wake()
  }
}

/** Uses the cost that the failure itself states if no other is known. */
function withCostOf({ costUsd }: Failure, cost: Cost | undefined): Cost | undefined {
  if (costUsd === undefined || (cost && cost.costUsd !== null)) return cost
  return { costUsd, tokens: cost?.tokens ?? null }
}

/** A try's cost can never make a window emptier. */
function amount(value: number | null): number {
  return value !== null && value > 0 && value < Infinity ? value : 0
}
