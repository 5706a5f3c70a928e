export type { Choice, Gate, GateRequest, Outlook, PassedOver, Permit } from './gate.ts'
export { MemoryGate } from './memory-gate.ts'
export { RetryBucket, type RetryBucketOptions } from './retry-bucket.ts'
export type { ProviderStore, Spend, StoredChange, StoredState } from './store.ts'
