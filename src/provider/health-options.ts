import type { SignatureMap } from '../failure/signature-map.ts'
import type { Time } from '../time/time.ts'
import type { HealthEvent } from './event.ts'
import type { FleetCeiling, PoolSettings, ProviderSettings } from './settings.ts'
import type { ProviderStore } from './store.ts'

/** Settings of a health. All are optional; providers without settings use the defaults. */
export interface HealthOptions {
  /** What is known about providers: quota, models, caps, probe. Default: none. */
  providers?: readonly ProviderSettings[] | undefined
  /** Ordered lists of providers that can serve the same call. Default: none. */
  pools?: readonly PoolSettings[] | undefined
  /** What all providers may cost together. Default: no ceiling. */
  fleet?: FleetCeiling | undefined
  /** The operator's signatures, because even a successful output may mention a limit. Default: none. */
  signatures?: SignatureMap | undefined
  /** Where state is shared with other processes and survives restarts. Default: none; state stays in this process. */
  store?: ProviderStore | undefined
  /** Called with every transition that this process made. Exceptions are ignored. Default: none. */
  onEvent?: ((event: HealthEvent) => void) | undefined
  /** Called when the store fails; calls continue with what is known. Default: a process warning. */
  onStoreProblem?: ((error: unknown) => void) | undefined
  /** Identifies this process among those that share the store. Default: random. */
  instance?: string | undefined
  /** The clock. Default: this machine's. */
  time?: Time | undefined
  /** Returns a number in [0, 1). Default: Math.random. */
  random?: (() => number) | undefined
}
