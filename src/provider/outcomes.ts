import { type Failure, throttleHint } from '../failure/index.ts'
import { defaultPolicy, type HealthMark } from '../verdict/index.ts'
import type { Cost } from './gate.ts'
import type { HealthPermit, Settling } from './permit.ts'
import { withoutCall } from './prober.ts'
import type { ProviderHealth } from './provider-health.ts'
import { reportedIn } from './reported.ts'
import type { Surroundings } from './surroundings.ts'

/** Takes in how permitted calls went, and what their answers say about limits. */
export class Outcomes implements Settling {
  readonly #surroundings: Surroundings
  readonly #charge: (provider: ProviderHealth, usd: number, tokens: number) => void
  readonly #ended: (permit: HealthPermit) => void

  constructor(
    surroundings: Surroundings,
    charge: (provider: ProviderHealth, usd: number, tokens: number) => void,
    ended: (permit: HealthPermit) => void,
  ) {
    this.#surroundings = surroundings
    this.#charge = charge
    this.#ended = ended
  }

  settled(permit: HealthPermit, cost: Cost | undefined): void {
    const { of } = permit
    of.running--
    if (cost && (cost.costUsd !== null || cost.tokens !== null))
      this.#charge(of, amount(cost.costUsd), amount(cost.tokens))
    this.#ended(permit)
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
  heard(permit: HealthPermit, value: unknown): void {
    try {
      const { headers, response, stdout } = value as Record<string, unknown>
      if (headers === undefined && response === undefined && typeof stdout !== 'string') return
      this.observed(permit, value)
      if (typeof stdout === 'string') this.#heardOutput(permit, value)
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
}

/** Nothing that a try cost can make a window emptier. */
function amount(value: number | null): number {
  return value !== null && value > 0 && value < Infinity ? value : 0
}
