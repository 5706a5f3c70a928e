import { throttleHint } from '../failure/classify.ts'
import type { Failure } from '../failure/failure.ts'
import { returnedField } from '../failure/observe/read.ts'
import { defaultPolicy } from '../verdict/default-policy.ts'
import type { HealthMark } from '../verdict/policy.ts'
import type { Cost } from './gate.ts'
import { HealthPermit, type Settling } from './permit.ts'
import { withoutCall } from './prober.ts'
import type { Caller, ProviderHealth, Standing, Tried } from './provider-health.ts'
import type { Registry } from './registry.ts'
import { reportedIn } from './reported.ts'
import type { SharedState } from './shared-state.ts'
import type { Surroundings } from './surroundings.ts'
import type { Waiting } from './waiting.ts'

/** Gives leave to call, takes in how the calls went, and what their answers say about limits. */
export class Permits implements Settling {
  readonly #surroundings: Surroundings
  readonly #registry: Registry
  readonly #shared: SharedState
  readonly #waiting: Waiting
  readonly #instance: string
  #trials = 0

  /** @param instance names this process among those that share the store */
  constructor(
    surroundings: Surroundings,
    registry: Registry,
    shared: SharedState,
    waiting: Waiting,
    instance: string,
  ) {
    this.#instance = instance
    this.#surroundings = surroundings
    this.#registry = registry
    this.#shared = shared
    this.#waiting = waiting
  }

  /**
   * @param now epoch milliseconds
   * @param probe set for the one call that finds out whether the provider is back
   */
  give(provider: ProviderHealth, caller: Caller, now: number, probe?: Tried['probe']): HealthPermit {
    provider.running++
    this.#charge(provider, now, 0, 0, 1)
    const permit = new HealthPermit(provider, caller, now, probe, this)
    permit.trial = provider.quota.began(caller.model, () => `${this.#instance}.${++this.#trials}`, now)
    return permit
  }

  /** For a try that was made elsewhere, and was not asked for here. */
  given(provider: ProviderHealth, caller: Caller, startedAt: number): HealthPermit {
    provider.running++
    this.#charge(provider, startedAt, 0, 0, 1)
    return new HealthPermit(provider, caller, startedAt, undefined, this)
  }

  standing(permit: HealthPermit, failure: Failure): Standing {
    return permit.of.standing(failure, permit, this.#surroundings.time.now())
  }

  settled({ of, model, probe, trial }: HealthPermit, cost: Cost | undefined): void {
    of.running--
    if (trial !== undefined) of.quota.ended(model, trial)
    if (cost && (cost.costUsd !== null || cost.tokens !== null))
      this.#charge(of, this.#surroundings.time.now(), amount(cost.costUsd), amount(cost.tokens), 0)
    if (this.#waiting.size === 0) return
    if (probe === undefined) this.#waiting.wake()
    else this.#waiting.wakeAfterProbe(probe.of)
  }

  failed(permit: HealthPermit, failure: Failure, mark: HealthMark): void {
    permit.of.failed(failure, mark, this.#surroundings.time.now(), permit)
  }

  observed({ of, model }: HealthPermit, seen: unknown): void {
    try {
      const reported = reportedIn(seen, this.#surroundings.time.now())
      if (reported.length > 0) of.quota.learn(reported, model)
    } catch {
      // What cannot be read says nothing; the call that it comes from has succeeded all the same.
    }
  }

  /** Reads what a successful call returned: headers of a response, or the output of a program. */
  heard(permit: HealthPermit, value: object): void {
    try {
      // Most answers have none of these: asking whether they do costs less than to read them.
      if (!('headers' in value || 'response' in value || 'stdout' in value)) return
      // The getters of others may do anything: start a request, or make a promise that nobody waits for.
      const isOutput = typeof returnedField(value, 'stdout') === 'string'
      if (!isOutput && HEADERS_IN.every(field => returnedField(value, field) === undefined)) return
      this.observed(permit, value)
      if (isOutput) this.#heardOutput(permit, value)
    } catch {
      // A value whose fields cannot be read is nobody's mistake but its own.
    }
  }

  /** Takes in a limit that a call met on the way although it ended well: as a failure, or in a program's output. */
  met(permit: HealthPermit, limit: object): void {
    try {
      if (typeof returnedField(limit, 'stdout') === 'string') this.#heardOutput(permit, limit)
      else this.#limited(permit, limit as Failure)
    } catch {
      // What cannot be read says nothing.
    }
  }

  /** Some programs end well after meeting a limit on the way: the limit holds for the next call all the same. */
  #heardOutput(permit: HealthPermit, value: object): void {
    const { time, signatures } = this.#surroundings
    const { provider, model } = permit
    const failure = throttleHint(value, { provider, model, signatures, now: time.now() })
    if (failure) this.#limited(permit, failure)
  }

  #limited(permit: HealthPermit, failure: Failure): void {
    const now = this.#surroundings.time.now()
    const mark = defaultPolicy.health(failure, { ...withoutCall(now), ...this.standing(permit, failure) })
    permit.of.failed(failure, { ...mark, breaker: 'none' }, now, { ...permit, probe: undefined })
  }

  #charge({ quota }: ProviderHealth, now: number, usd: number, tokens: number, requests: number): void {
    quota.charge(now, usd, tokens, requests)
    this.#registry.fleet.charge(now, usd, tokens, requests)
    this.#shared.touch()
  }
}

/** Where an answer has its headers. */
const HEADERS_IN = ['headers', 'response'] as const

/** Nothing that a try cost can make a window emptier. */
function amount(value: number | null): number {
  return value !== null && value > 0 && value < Infinity ? value : 0
}
