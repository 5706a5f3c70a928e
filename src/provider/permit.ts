import type { Failure } from '../failure/failure.ts'
import { returnedField } from '../failure/observe/read.ts'
import type { HealthMark } from '../verdict/policy.ts'
import type { Cost, Permit } from './gate.ts'
import type { Caller, ProviderHealth, Standing, Tried } from './provider-health.ts'

/** Whoever is told how a permitted call went. */
export interface Settling {
  failed(permit: HealthPermit, failure: Failure, mark: HealthMark): void
  settled(permit: HealthPermit, cost: Cost | undefined): void
  standing(permit: HealthPermit, failure: Failure): Standing
  observed(permit: HealthPermit, seen: unknown): void
  heard(permit: HealthPermit, value: object): void
  met(permit: HealthPermit, limit: object): void
}

/** Leave to call a provider once. A class, because one is made for every call. */
export class HealthPermit implements Permit, Tried {
  readonly provider: string
  readonly of: ProviderHealth
  readonly model: string | undefined
  readonly credential: string | undefined
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Set if this call is the probe of a half-open breaker. */
  readonly probe: Tried['probe']
  /** Set if this call goes ahead of the others after a limit. */
  trial: string | undefined
  readonly #settling: Settling
  #isSettled = false
  /** What was observed and may tell of a limit that holds for the next call, if this one ends well. */
  #onTheWay: object | undefined

  constructor(
    of: ProviderHealth,
    { model, credential }: Caller,
    startedAt: number,
    probe: Tried['probe'],
    settling: Settling,
  ) {
    this.provider = of.settings.id
    this.of = of
    this.model = model
    this.credential = credential
    this.startedAt = startedAt
    this.probe = probe
    this.#settling = settling
  }

  standing(failure: Failure): Standing {
    return this.#settling.standing(this, failure)
  }

  observed(seen: unknown): void {
    if (isEndOrThrottle(seen)) this.#onTheWay = seen
    this.#settling.observed(this, seen)
  }

  succeeded(cost?: Cost, value?: unknown): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.of.succeeded(this)
    this.of.quota.succeeded(this.model, this.startedAt)
    if (typeof value === 'object' && value !== null) this.#settling.heard(this, value)
    // After the success, which ends blocks that were there before it.
    if (this.#onTheWay) this.#settling.met(this, this.#onTheWay)
    this.#settling.settled(this, cost)
  }

  failed(failure: Failure, mark: HealthMark, cost?: Cost): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#settling.failed(this, failure, mark)
    this.#settling.settled(this, withCostOf(failure, cost))
  }

  released(cost?: Cost): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.of.released(this.probe)
    this.#settling.settled(this, cost)
  }
}

/** The end of a program, or a throttle that somebody has read out of it already. */
function isEndOrThrottle(seen: unknown): seen is object {
  return (
    typeof seen === 'object' &&
    seen !== null &&
    (typeof returnedField(seen, 'stdout') === 'string' || returnedField(seen, 'class') === 'throttle')
  )
}

/** What the failure itself tells counts where nobody else said. */
function withCostOf({ costUsd }: Failure, cost: Cost | undefined): Cost | undefined {
  if (costUsd === undefined || (cost && cost.costUsd !== null)) return cost
  return { costUsd, tokens: cost?.tokens ?? null }
}
