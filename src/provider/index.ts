export type { Block, ClearedBy } from './block.ts'
export { credentialHash } from './block.ts'
export { BREAKER_DEFAULTS, type BreakerPhase, type BreakerSettings, type BreakerState } from './breaker.ts'
export type { BlockScope, HealthEvent, HealthEventType } from './event.ts'
export type { Choice, Cost, Gate, GateRequest, Outlook, PassedOver, Permit } from './gate.ts'
export type { ElsewhereTry } from './health.ts'
export type { HealthOptions } from './health-options.ts'
export { MemoryStore, type StoreSnapshot } from './memory-store.ts'
export { NodeHealth as Health } from './node-health.ts'
export { Pool, type PoolRequest } from './pool.ts'
export {
  PROBE_TIMEOUT_DEFAULT_MS,
  type ProbeContext,
  type ProbeResult,
  type ProbeSettings,
} from './probe.ts'
export { RetryBucket, type RetryBucketOptions } from './retry-bucket.ts'
export type { Cap, FleetCeiling, ModelSettings, PoolSettings, ProviderSettings } from './settings.ts'
export type { ProviderStatus } from './status.ts'
export type { ProviderStore, Spend, StoredChange, StoredState } from './store.ts'
export { type Level, NEAR, type Unit, type WindowUse } from './window-use.ts'
