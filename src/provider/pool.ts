import type { Failure } from '../failure/failure.ts'
import { WrongArgument } from '../failure/own-error.ts'
import type { Choice, Gate } from './gate.ts'
import type { PoolSettings } from './settings.ts'

/** What can influence a choice from a pool. */
export interface PoolRequest {
  model?: string
  /** The credential of the call; see `GateRequest`. */
  credential?: string
  /** Providers that already failed in this call or run. Default: none. */
  tried?: Iterable<string>
  /**
   * Choose only this provider. A decision for a call holds until the call ends, even if the pool's order or the health of
   * others changes meanwhile. The provider's own health still counts.
   */
  forced?: string
  /** The failure of the last try. */
  after?: Failure
}

const NONE: ReadonlySet<string> = new Set()

/** An ordered list of providers that can serve the same call. */
export class Pool {
  readonly id: string
  readonly providers: readonly string[]
  /** The model to ask for at each provider; undefined if the call decides. */
  readonly models: PoolSettings['models']
  readonly failover: PoolSettings['failover']
  readonly routing: PoolSettings['routing']
  readonly #gate: Gate

  constructor(gate: Gate, { id, providers, models, failover, routing }: PoolSettings) {
    this.#gate = gate
    this.id = id
    this.providers = providers
    this.models = models
    this.failover = failover
    this.routing = routing
  }

  /**
   * The first provider that admits the call, and the reason and time for each one passed over. The permit must be settled.
   * Waits if a probe or a running call may decide any moment.
   */
  async choose({ model, credential, tried, forced, after }: PoolRequest = {}): Promise<Choice> {
    if (forced !== undefined && !this.providers.includes(forced))
      throw new WrongArgument(
        `pool ${this.id}: "${forced}" is not one of its providers; known: ${this.providers.join(', ')}`,
      )
    return this.#gate.choose({
      pool: this.providers,
      model,
      models: this.models,
      credential,
      tried: tried === undefined ? NONE : new Set(tried),
      again: forced,
      after,
    })
  }
}
