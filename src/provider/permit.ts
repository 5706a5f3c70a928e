import type { Failure } from '../failure/failure.ts'
import type { HealthMark } from '../verdict/policy.ts'
import type { Caller } from './caller.ts'
import type { Cost, Permit } from './gate.ts'
import type { ProviderHealth, Standing, Tried } from './provider-health.ts'

/** Keeps the records of what became of a permit. */
export interface PermitRecorder {
  standing(permit: HealthPermit, failure: Failure): Standing
  observed(permit: HealthPermit, seen: unknown): void
  answering(permit: HealthPermit): void
  succeeded(permit: HealthPermit, cost: Cost | undefined, value: unknown): void
  failed(permit: HealthPermit, failure: Failure, mark: HealthMark, cost: Cost | undefined): void
  released(permit: HealthPermit, cost: Cost | undefined): void
}

/** Permission to call a provider once, settled at most once. A class, because one is made for every call. */
export class HealthPermit implements Permit, Tried {
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
  hasAnswer = false
  /** A limit observed on the way. If this call succeeds, it applies to the next one. */
  limitOnTheWay: object | undefined
  readonly #recorder: PermitRecorder
  #isSettled = false

  constructor(
    of: ProviderHealth,
    { model, tool, credential }: Caller,
    startedAt: number,
    probe: Tried['probe'],
    recorder: PermitRecorder,
  ) {
    this.provider = of.settings.id
    this.of = of
    this.model = model
    this.tool = tool
    this.credential = credential
    this.startedAt = startedAt
    this.probe = probe
    this.#recorder = recorder
  }

  standing(failure: Failure): Standing {
    return this.#recorder.standing(this, failure)
  }

  observed(seen: unknown): void {
    this.#recorder.observed(this, seen)
  }

  answering(): void {
    if (!this.#isSettled) this.#recorder.answering(this)
  }

  succeeded(cost?: Cost, value?: unknown): void {
    if (this.#settle()) this.#recorder.succeeded(this, cost, value)
  }

  failed(failure: Failure, mark: HealthMark, cost?: Cost): void {
    if (this.#settle()) this.#recorder.failed(this, failure, mark, cost)
  }

  released(cost?: Cost): void {
    if (this.#settle()) this.#recorder.released(this, cost)
  }

  #settle(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    return true
  }
}
