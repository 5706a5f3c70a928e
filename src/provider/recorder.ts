import { throttleHint } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { isResponse, returnedField } from '../failure/observe/read.ts'
import type { SignatureMap } from '../failure/signature-map.ts'
import type { Time } from '../time/time.ts'
import type { HealthMark } from '../verdict/policy.ts'
import type { Caller } from './caller.ts'
import type { FlushTimer } from './flush-timer.ts'
import type { Cost } from './gate.ts'
import { HealthPermit, type PermitRecorder } from './permit.ts'
import type { ProviderHealth, Standing, Tried } from './provider-health.ts'
import type { Fleet } from './providers.ts'
import { reportedIn } from './reported.ts'
import type { WaitingLine } from './waiting-line.ts'
import { markWithoutCall } from './without-call.ts'

/** Where an answer keeps its headers. */
const HEADERS_IN = ['headers', 'response'] as const

/** Gives permits, and records how the calls went, what they cost, and what their answers say about limits. */
export class Recorder implements PermitRecorder {
  readonly #time: Time
  readonly #newId: () => string
  readonly #fleet: Fleet
  readonly #flushTimer: FlushTimer
  readonly #line: WaitingLine
  readonly #signatures: SignatureMap | undefined

  /**
   * @param newId must be unique among the trials of all processes
   * @param signatures recognise providers' limits that the catalogue does not know
   */
  constructor(
    time: Time,
    newId: () => string,
    fleet: Fleet,
    flushTimer: FlushTimer,
    line: WaitingLine,
    signatures: SignatureMap | undefined,
  ) {
    this.#time = time
    this.#newId = newId
    this.#fleet = fleet
    this.#flushTimer = flushTimer
    this.#line = line
    this.#signatures = signatures
  }

  /**
   * A permit for a call that begins now.
   * @param now epoch milliseconds
   * @param probe set for the one call that finds out whether the provider is back
   */
  permit(provider: ProviderHealth, caller: Caller, now: number, probe?: Tried['probe']): HealthPermit {
    const permit = this.permitFor(provider, caller, now, probe)
    permit.trial = provider.quota.began(caller.model, this.#newId, now, this.#onAdmitted)
    return permit
  }

  /** A permit for a try that was begun elsewhere, without asking here. */
  permitFor(
    provider: ProviderHealth,
    caller: Caller,
    startedAt: number,
    probe?: Tried['probe'],
  ): HealthPermit {
    provider.running++
    provider.quota.trafficOf(caller.model).began()
    this.#charge(provider, startedAt, 0, 0, 1)
    return new HealthPermit(provider, caller, startedAt, probe, this)
  }

  standing(permit: HealthPermit, failure: Failure): Standing {
    return permit.of.standing(failure, permit, this.#time.now())
  }

  observed(permit: HealthPermit, seen: unknown): void {
    if (isOutputOrThrottle(seen)) permit.limitOnTheWay = seen
    else this.#admitted(permit)
    this.#learn(permit, seen)
  }

  answering(permit: HealthPermit): void {
    const { of } = permit
    this.#served(permit)
    this.#admitted(permit)
    if (!of.isDown) return
    of.answering(permit)
    if (!of.isDown) this.#line.wakeGradually()
  }

  succeeded(permit: HealthPermit, cost: Cost | undefined, value: unknown): void {
    const { of, model, limitOnTheWay } = permit
    const wasDown = this.#line.size > 0 && of.isDown
    this.#served(permit)
    of.succeeded(permit)
    of.quota.succeeded(model, permit, this.#line.size > 0)
    if (typeof value === 'object' && value !== null) this.#read(permit, value)
    // After the success is recorded, because that ends earlier blocks.
    if (limitOnTheWay) this.#metLimit(permit, limitOnTheWay)
    this.#settled(permit, cost, wasDown && !of.isDown)
  }

  failed(permit: HealthPermit, failure: Failure, mark: HealthMark, cost: Cost | undefined): void {
    permit.of.failed(failure, mark, this.#time.now(), permit)
    this.#settled(permit, withCostOf(failure, cost))
  }

  released(permit: HealthPermit, cost: Cost | undefined): void {
    permit.of.released(permit.probe)
    this.#settled(permit, cost)
  }

  #served(permit: HealthPermit): void {
    if (permit.hasAnswer) return
    permit.hasAnswer = true
    permit.of.quota.trafficOf(permit.model).served()
  }

  /** Its answer has begun, so the next call need not wait for its end. */
  #admitted(permit: HealthPermit): void {
    const { of, model, trial, startedAt } = permit
    if (trial === undefined || permit.isAdmitted) return
    permit.isAdmitted = true
    of.quota.admitted(model, trial, startedAt, this.#line.size > 0)
    this.#onAdmitted()
  }

  readonly #onAdmitted = () => {
    if (this.#line.size > 0) this.#line.wake()
  }

  /** @param isBack whether calls may wait for a provider that just came back */
  #settled({ of, model, trial, hasAnswer }: HealthPermit, cost: Cost | undefined, isBack = false): void {
    of.running--
    if (!hasAnswer) of.quota.trafficOf(model).ended()
    if (trial !== undefined) of.quota.ended(model, trial)
    if (cost && (cost.costUsd !== null || cost.tokens !== null))
      this.#charge(of, this.#time.now(), amount(cost.costUsd), amount(cost.tokens), 0)
    if (this.#line.size === 0) return
    if (isBack) this.#line.wakeGradually()
    else this.#line.wake()
  }

  /** Records what an answer says about the vendor's windows. */
  #learn({ of, model }: HealthPermit, seen: unknown): void {
    try {
      const reported = reportedIn(seen, this.#time.now())
      if (reported.length > 0) of.quota.windows.learn(reported, model)
    } catch {
      // Unreadable values say nothing; the call still succeeded.
    }
  }

  /** Reads what a successful call returned: a response's headers, or a program's output. */
  #read(permit: HealthPermit, value: object): void {
    try {
      // Most answers have none of these, and this check costs less than reading them.
      if (!('headers' in value || 'response' in value || 'stdout' in value)) return
      // A getter may do anything: start a request, or create a promise that is never awaited.
      const isOutput = typeof returnedField(value, 'stdout') === 'string'
      if (!isOutput && HEADERS_IN.every(field => returnedField(value, field) === undefined)) return
      this.#learn(permit, value)
      if (isOutput) this.#readOutput(permit, value)
    } catch {
      // A value with unreadable fields says nothing.
    }
  }

  /** Records a limit that a successful call hit on the way: given as a failure, or in a program's output. */
  #metLimit(permit: HealthPermit, limit: object): void {
    try {
      if (typeof returnedField(limit, 'stdout') === 'string') this.#readOutput(permit, limit)
      else this.#recordLimit(permit, limit as Failure)
    } catch {
      // Unreadable values say nothing.
    }
  }

  /** Some programs succeed after hitting a limit on the way. The limit still applies to the next call. */
  #readOutput(permit: HealthPermit, value: object): void {
    const { provider, model } = permit
    const signatures = this.#signatures
    const failure = throttleHint(value, { provider, model, signatures, now: this.#time.now() })
    if (failure) this.#recordLimit(permit, failure)
  }

  #recordLimit(permit: HealthPermit, failure: Failure): void {
    const now = this.#time.now()
    const mark = markWithoutCall(failure, now, this.standing(permit, failure))
    permit.of.failed(failure, { ...mark, breaker: 'none' }, now, { ...permit, probe: undefined })
  }

  #charge({ quota }: ProviderHealth, now: number, usd: number, tokens: number, requests: number): void {
    quota.windows.charge(now, usd, tokens, requests)
    this.#fleet.charge(now, usd, tokens, requests)
    this.#flushTimer.touch()
  }
}

/** True for a program's output, or for a throttle that was already read from it. */
function isOutputOrThrottle(seen: unknown): seen is object {
  return (
    typeof seen === 'object' &&
    seen !== null &&
    !isResponse(seen) &&
    (typeof returnedField(seen, 'stdout') === 'string' || returnedField(seen, 'class') === 'throttle')
  )
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
