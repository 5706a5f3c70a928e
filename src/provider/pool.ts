import type { Failure } from '../failure/failure.ts'
import { WrongArgument } from '../failure/own-error.ts'
import type { Choice, Gate } from './gate.ts'
import type { PoolSettings } from './settings.ts'

/** What may bear on a choice from a pool. */
export interface PoolRequest {
  model?: string
  /** The credential that the call is made with; see `GateRequest`. */
  credential?: string
  /** Providers that failed in this call or run already. Default none. */
  tried?: Iterable<string>
  /**
   * Only this one: what was decided for a call holds until that call ends, however the order of the pool and
   * the health of the others change meanwhile. Its own health still counts.
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
  readonly #gate: Gate

  constructor(gate: Gate, { id, providers }: PoolSettings) {
    this.#gate = gate
    this.id = id
    this.providers = providers
  }

  /**
   * The first provider that admits the call, and for each one passed over the reason in words with its time. The
   * permit must be settled. Waits where a probe or a running call decides any moment.
   */
  async choose({ model, credential, tried, forced, after }: PoolRequest = {}): Promise<Choice> {
    if (forced !== undefined && !this.providers.includes(forced))
      throw new WrongArgument(
        `pool ${this.id}: "${forced}" is none of its providers: ${this.providers.join(', ')}`,
      )
    return this.#gate.choose({
      pool: this.providers,
      model,
      credential,
      tried: tried === undefined ? NONE : new Set(tried),
      again: forced,
      after,
    })
  }
}
