export { dataFolder } from './data-folder.ts'
export { CONFIG_NAME, type Discovery, discoverConfig, type FoundBy } from './discover.ts'
export { ConfigError, type Problem, problemText } from './error.ts'
export { configJsonSchema } from './json-schema.ts'
export { type LoadOptions, loadConfig } from './load.ts'
export type { LoadedConfig, TrustedConfig } from './loaded.ts'
export { FolderError, makeFolder } from './make-folder.ts'
export { type EffectiveValue, type Origin, originText } from './origin.ts'
export type { FlagValues } from './override.ts'
export { placeOf } from './place-of.ts'
export { policyNamed, policyOf } from './policy.ts'
export { policyOfConfig } from './policy-levels.ts'
export { checkPrivateFolder, isThere } from './private-folder.ts'
export { type ReadOptions, readConfig } from './read.ts'
export {
  EnvReference,
  FileReference,
  isReference,
  MissingReference,
  type ResolveOptions,
  resolveText,
  resolveTexts,
  type Text,
} from './reference.ts'
export type { BudgetConfig } from './schema/budget.ts'
export type { CapabilityConfig } from './schema/capability.ts'
export type { Config } from './schema/config.ts'
export type { CouncilConfig } from './schema/council.ts'
export type { PolicyConfig } from './schema/policy.ts'
export type { PoolConfig } from './schema/pool.ts'
export type { ProviderConfig } from './schema/provider.ts'
export type { QueueConfig } from './schema/queue.ts'
export type { ScheduleConfig } from './schema/schedule.ts'
export { loadSignatures, readSignatures } from './signatures.ts'
export { type ConfigChange, ConfigSource, type Reloaded } from './source.ts'
export { trusted } from './trust.ts'
export { type TrustEntry, TrustRecord } from './trust-record.ts'
export { UntrustedConfig } from './untrusted.ts'
