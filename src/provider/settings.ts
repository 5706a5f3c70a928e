import type { Failover } from '../verdict/circumstances.ts'
import type { BreakerSettings } from './breaker.ts'
import type { ProbeSettings } from './probe.ts'
import type { RetryBucketOptions } from './retry-bucket.ts'

/** How much may be used in a window of time. Give at least one amount; a cap of 0 admits nothing. */
export interface Cap {
  /** `hour`, `day` and `month` follow the clock of the time zone; a number of milliseconds is a rolling window. */
  per: 'hour' | 'day' | 'month' | number
  /** US dollars, as reported by `charge`. */
  usd?: number
  tokens?: number
  /** Admitted calls. */
  requests?: number
}

/** A model that a provider serves. */
export interface ModelSettings {
  id: string
  /** In tokens. A call that overflowed goes only to a provider that declares a larger window. */
  contextWindow?: number
}

/** Something that can be exhausted or unhealthy on its own. Everything but the id is optional. */
export interface ProviderSettings {
  id: string
  /** Whose allowance it uses: providers with the same quota share blocks and windows. Default: its own id. */
  quota?: string
  models?: readonly ModelSettings[]
  /** Caps of its quota. Caps of all providers that share the quota apply together. Default: none. */
  caps?: readonly Cap[]
  /** IANA zone in which hours, days and months of its caps begin. Default UTC. */
  timeZone?: string
  breaker?: BreakerSettings
  /** The token bucket that bounds retries. */
  retryBucket?: RetryBucketOptions
  /** Whether the rate that its limits allow is learned from refusals, so calls wait instead of being refused. Default true. */
  learnRate?: boolean
  /** How many calls may run at once in this process. Default Infinity. */
  maxConcurrent?: number
  /** A cheap check of whether it can serve. Default: none; then calls find out. */
  probe?: ProbeSettings
  /** The key or token it is called with. Only a hash is kept, to notice a change after a refused login. Default: unknown. */
  credential?: string | (() => string | undefined)
}

/**
 * In which order a call asks the providers of its pool. `order`: as they are listed. `cheapest`: by price. Weights: by chance, each as
 * often first as its weight says.
 */
export type Routing<P extends string = string> = 'order' | 'cheapest' | Readonly<Partial<Record<P, number>>>

/** Providers that can serve the same call, the preferred one first. */
export interface PoolSettings {
  id: string
  providers: readonly string[]
  /** The model to ask for at each provider. Default: the call's own model everywhere. */
  models?: Readonly<Record<string, string>> | undefined
  /** Whether a failure that may pass goes to another provider `first`, or only when retries did not help. Default `last`. */
  failover?: Failover | undefined
  /** In which order they are asked. Default `order`. */
  routing?: Routing | undefined
}

/** What all providers together may cost. At the ceiling no provider admits until the window ends. */
export interface FleetCeiling {
  /** US dollars per day. Default: no ceiling. */
  dayUsd?: number
  /** US dollars per calendar month. Default: no ceiling. */
  monthUsd?: number
  /** IANA zone in which days and months begin. Default UTC. */
  timeZone?: string
}
