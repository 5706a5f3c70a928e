import type { SignatureMap } from '../failure/signature-map.ts'
import type { Time } from '../time/time.ts'
import type { HealthEvent } from './event.ts'
import type { FleetCeiling, PoolSettings, ProviderSettings } from './settings.ts'
import type { ProviderStore } from './store.ts'

/** Settings of a health. Everything is optional: providers without settings have the defaults. */
export interface HealthOptions {
  /** What is known about providers: quota, models, caps, probe. Default none. */
  providers?: readonly ProviderSettings[]
  /** Ordered lists of providers that can serve the same call. Default none. */
  pools?: readonly PoolSettings[]
  /** What all providers may cost together. Default no ceiling. */
  fleet?: FleetCeiling
  /** How the limits of providers read, as operators wrote it down: a success may have met one. Default none. */
  signatures?: SignatureMap
  /** Where state is shared with other processes, and kept over restarts. Default none: this process, in memory. */
  store?: ProviderStore
  /** Called with every transition that this process made. What it throws is ignored. Default none. */
  onEvent?: (event: HealthEvent) => void
  /** Called when the store fails; calls go on with what is known. Default a warning of the process. */
  onStoreProblem?: (error: unknown) => void
  /** Names this process among those that share the store. Default something random. */
  instance?: string
  /** Default the time of this machine. */
  time?: Time
  /** In [0, 1). Default Math.random. */
  random?: () => number
}
