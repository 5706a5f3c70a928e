import type { BreakerSettings } from './breaker.ts'
import type { ProbeSettings } from './probe.ts'
import type { RetryBucketOptions } from './retry-bucket.ts'

/** What may be used up in a window of time. At least one of the amounts is given; a cap of 0 admits nothing. */
export interface Cap {
  /** `hour`, `day` and `month` tumble in the time zone; a number of milliseconds is a window that rolls. */
  per: 'hour' | 'day' | 'month' | number
  /** US dollars, as reported by `charge`. */
  usd?: number
  tokens?: number
  /** Calls admitted. */
  requests?: number
}

/** A model that a provider serves. */
export interface ModelSettings {
  id: string
  /** Tokens. A call that overflowed goes only to a provider whose declared window is larger. */
  contextWindow?: number
}

/** Something that can be exhausted or unhealthy on its own. Everything but the id is optional. */
export interface ProviderSettings {
  id: string
  /** Whose allowance it uses up: providers with the same quota share blocks and windows. Default its own id. */
  quota?: string
  models?: readonly ModelSettings[]
  /** Caps of its quota; those of all providers that share the quota hold together. Default none. */
  caps?: readonly Cap[]
  /** IANA zone in which hours, days and months of its caps begin. Default UTC. */
  timeZone?: string
  breaker?: BreakerSettings
  /** The bucket that bounds retries. */
  retryBucket?: RetryBucketOptions
  /** Calls that may run at once, in this process. Default Infinity. */
  maxConcurrent?: number
  /** A cheap check of whether it can serve. Default none: then calls find out. */
  probe?: ProbeSettings
  /** The key or token it is called with; only a hash is kept, to see that it changed after a refused login. */
  credential?: string | (() => string | undefined)
}

/** Providers that can serve the same call, the preferred one first. */
export interface PoolSettings {
  id: string
  providers: readonly string[]
}

/** What all providers together may cost; at the ceiling no provider admits until the window rolls. */
export interface FleetCeiling {
  /** US dollars per day. Default no ceiling. */
  dayUsd?: number
  /** US dollars per calendar month. Default no ceiling. */
  monthUsd?: number
  /** IANA zone in which days and months begin. Default UTC. */
  timeZone?: string
}
