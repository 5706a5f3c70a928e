import { type Failure, throttleHint } from '../failure/index.ts'
import { returnedField } from '../failure/observe/read.ts'
import { defaultPolicy, type HealthMark } from '../verdict/index.ts'
import type { Cost } from './gate.ts'
import { HealthPermit, type Settling } from './permit.ts'
import { withoutCall } from './prober.ts'
import type { ProviderHealth } from './provider-health.ts'
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

  constructor(surroundings: Surroundings, registry: Registry, shared: SharedState, waiting: Waiting) {
    this.#surroundings = surroundings
    this.#registry = registry
    this.#shared = shared
    this.#waiting = waiting
  }

  /**
   * @param now epoch milliseconds
   * @param probeId set for the one call that finds out whether the provider is back
   */
  give(provider: ProviderHealth, model: string | undefined, now: number, probeId?: string): HealthPermit {
    provider.running++
    this.#charge(provider, now, 0, 0, 1)
    return new HealthPermit(provider, model, now, probeId, this)
  }

  settled({ of, probeId }: HealthPermit, cost: Cost | undefined): void {
    of.running--
    if (cost && (cost.costUsd !== null || cost.tokens !== null))
      this.#charge(of, this.#surroundings.time.now(), amount(cost.costUsd), amount(cost.tokens), 0)
    if (this.#waiting.size === 0) return
    if (probeId === undefined) this.#waiting.wake()
    else this.#waiting.wakeAfterProbe(of)
  }

  failed({ of, probeId }: HealthPermit, failure: Failure, mark: HealthMark): void {
    of.failed(failure, mark, this.#surroundings.time.now(), probeId)
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
      // The getters of others may do anything: start a request, or make a promise that nobody waits for.
      const isOutput = typeof returnedField(value, 'stdout') === 'string'
      if (!isOutput && HEADERS_IN.every(field => returnedField(value, field) === undefined)) return
      this.observed(permit, value)
      if (isOutput) this.#heardOutput(permit, value)
    } catch {
      // A value whose fields cannot be read is nobody's mistake but its own.
    }
  }

  /** Some programs end well after meeting a limit on the way: the limit holds for the next call all the same. */
  #heardOutput({ of, provider, model }: HealthPermit, value: unknown): void {
    const now = this.#surroundings.time.now()
    const failure = throttleHint(value, { provider, model, now })
    if (!failure) return
    const mark = defaultPolicy.health(failure, withoutCall(now))
    of.failed(failure, { ...mark, breaker: 'none' }, now, undefined)
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
